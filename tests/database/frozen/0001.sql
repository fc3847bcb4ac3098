BEGIN TRANSACTION;
CREATE TABLE bestpair_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT bestpair_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "bestpair_revision" VALUES('0001');
CREATE TABLE certificates (
	session_id TEXT NOT NULL, 
	body TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_certificates PRIMARY KEY (session_id), 
	CONSTRAINT fk_certificates_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE TABLE evidence (
	session_id TEXT NOT NULL, 
	i INTEGER NOT NULL, 
	j INTEGER NOT NULL, 
	version INTEGER NOT NULL, 
	n BIGINT NOT NULL, 
	s DOUBLE NOT NULL, 
	clicks_i BIGINT NOT NULL, 
	clicks_j BIGINT NOT NULL, 
	epoch INTEGER NOT NULL, 
	CONSTRAINT pk_evidence PRIMARY KEY (session_id, i, j, version), 
	CONSTRAINT fk_evidence_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "evidence" VALUES('af8080fcd4ccc1d3a97734d2',0,1,2,11,10.0,0,0,3);
INSERT INTO "evidence" VALUES('af8080fcd4ccc1d3a97734d2',0,2,1,5,3.0,0,0,2);
INSERT INTO "evidence" VALUES('af8080fcd4ccc1d3a97734d2',0,3,1,7,5.0,0,0,2);
INSERT INTO "evidence" VALUES('af8080fcd4ccc1d3a97734d2',1,2,1,1,0.0,0,0,1);
INSERT INTO "evidence" VALUES('af8080fcd4ccc1d3a97734d2',1,3,1,4,4.0,0,0,2);
INSERT INTO "evidence" VALUES('af8080fcd4ccc1d3a97734d2',2,3,1,4,2.0,0,0,2);
CREATE TABLE idempotency_keys (
	session_id TEXT NOT NULL, 
	route TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	body_digest TEXT NOT NULL, 
	response TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_idempotency_keys PRIMARY KEY (session_id, route, "key"), 
	CONSTRAINT fk_idempotency_keys_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "idempotency_keys" VALUES('af8080fcd4ccc1d3a97734d2','next-pair/batch','key-0','digest','[["t1bB6E1n4OFPxAdmnQ9qMXw",1,3,"explore",true,1],["tdMLZHP85KCY_g6I3bf4mHQ",3,0,"explore",true,1],["t_LxXKBVyaA-EZsIfLmam2w",0,3,"explore",true,1],["t9rbDeYOz2DOjsIrjBV1o0Q",0,3,"explore",true,1],["tCZSsN5EcVJitLd3T7WXsNw",2,3,"explore",true,1],["tqacRxkvXs8mbgKjry6mJ6g",0,2,"explore",true,1],["tp1SXz82dj6Vp8LKs1keQ4Q",0,2,"explore",true,1],["torBt2FI7Z7SuJgsXyjz2eg",2,1,"explore",true,1],["tYZsz1uUH9m4YKUP4ZEAXiQ",0,3,"explore",true,1],["tjrMDYy_A_YNBFTv8lMGCJA",2,0,"explore",true,1],["tbMRex04F5VDigL3aUrrJIQ",3,1,"explore",true,1],["t2GYvVwWifQN47BKpjy2mAA",1,2,"explore",true,1]]',1794814612.808);
INSERT INTO "idempotency_keys" VALUES('af8080fcd4ccc1d3a97734d2','next-pair/batch','key-1','digest','[["tMrNgxONQoNY7pCE-VPKx6A",1,3,"explore",true,1],["tVxNEcN_Ek-kq4nwPmhXlVw",2,3,"explore",true,1],["tDmdPKUYtEC__Se5Y6JoS6Q",1,2,"explore",true,1],["t6ZonREL4GDeHsIdiXXQCaw",2,3,"explore",true,1],["tvwcCAYoUxBEt7f5Jg2mL3A",3,1,"explore",true,1],["tEOsp4ppmb63374Egl1d3Rg",3,0,"explore",true,1],["tF_Syw0zkuBEdrbg_-OBnBA",0,3,"explore",true,1],["tbucqFbdlddhmVjyLTWDfBA",0,3,"explore",true,1],["tDvUht0C9YFbGNniyWxo_cw",2,3,"explore",true,1],["tJo7kL1HagJ3pe4mGlmiZEA",2,0,"explore",true,1],["ti9Wfelt7RF6y0cNcJHsZpg",0,2,"explore",true,1],["t6KgFeodSafI7-I-Mxf_zmw",2,1,"explore",true,1]]',1794814612.826);
INSERT INTO "idempotency_keys" VALUES('af8080fcd4ccc1d3a97734d2','next-pair/batch','key-2','digest','[["tj2L9qAnA25sWUGUU36w5lQ",0,1,"explore",true,2],["thzXnAg4ARebVfSOsJEYFjA",0,1,"explore",true,2],["tqA8CSB2BHpyq4MNBaZTNeQ",1,0,"explore",true,2],["t8UC5ul726neoIOrS6VHwlw",0,1,"explore",true,2],["tettzYjbywwjEOSHp_XwbYQ",1,0,"explore",true,2],["tjMPat7BwhkNqx-KfMoLfDg",0,1,"explore",true,2],["tIO-3HkUgSBvxxDYTJ0LjRA",0,1,"explore",true,2],["tBfUOnk_npBvTJ-HMhXkqFA",1,0,"explore",true,2],["t9xyESafrq3dS0lJvwM7vSQ",1,0,"explore",true,2],["tniQrTQ82KA4rf6-x-5yR8g",0,1,"explore",true,2],["tE3FOAwtUHsGnQ0p9ZuLA0Q",1,0,"explore",true,2],["tZY4JwgOfHWHY8hV3phHdSg",1,0,"explore",true,2]]',1794814612.838);
INSERT INTO "idempotency_keys" VALUES('af8080fcd4ccc1d3a97734d2','next-pair/batch','key-3','digest','[["tZ9ymBmCVo5rRTYkwFLoCVw",2,1,"explore",true,3],["tkemJzol2YV7nlMOCTGAMYA",2,1,"explore",true,3],["tnqyuLB9MxlR9vw7eHzTWFQ",2,1,"explore",true,3],["t90qqAfndfpBtjcajO66Zig",2,1,"explore",true,3],["tiZEKV4O5Wm-d40hSSHvMFA",2,1,"explore",true,3],["thM8AYw3IZ8h3cpaFUqLlkg",2,1,"explore",true,3],["tOjb5kFUXSySppCdEprzMlg",1,2,"explore",true,3],["tIMcpWbRk5QJBUzMJYG_F_A",2,1,"explore",true,3],["tcGVK4Pz7hGfeowFNfum2Xw",2,1,"explore",true,3],["tr3kgtA5t2xLoWJHnUNYbhg",2,1,"explore",true,3],["tlwZWUjozWcrP59V-XkOFOQ",2,1,"explore",true,3],["tVvtUPINLOerDR-t3I94AIg",2,1,"explore",true,3]]',1794814612.85);
INSERT INTO "idempotency_keys" VALUES('af8080fcd4ccc1d3a97734d2','next-pair/batch','key-4','digest','[["tg9UqCnYzCvXbU-osYaThhA",2,1,"explore",true,3],["tCCPRCsuj9ZyqA8kLiea7Xg",2,1,"explore",true,3],["tTR_SSQQxTLQdSDKjjFl6KA",1,2,"explore",true,3],["tdm-EYrmFj17QQebLgb0sZA",1,2,"explore",true,3],["tUEpveHXkjqHgATPmkhGr1A",2,1,"explore",true,3],["ta4ayvr1EOhgP8ZQFgTcdHw",2,1,"explore",true,3],["thM2YlkLdQIG7PrjVIJO12A",2,1,"explore",true,3],["tGOEiLCMzfzt7UDo7KlSWQA",1,2,"explore",true,3],["tsgpTfnSKs84zfEmpREV6aA",2,1,"explore",true,3],["tbNZtzt7jTeRG59YDcARSkQ",2,1,"explore",true,3],["tb1FzpZXElrm-UXnIMaAFgA",1,2,"explore",true,3],["tcMEx6NXI-k4rktgm_x4ipg",2,1,"explore",true,3]]',1794814612.856);
INSERT INTO "idempotency_keys" VALUES('af8080fcd4ccc1d3a97734d2','next-pair/batch','key-5','digest','[["tRpWfBbd_Qd5lQsiIoVUtOQ",1,2,"explore",true,3],["tszTntnN9tfLDjeuPBExJaA",1,2,"explore",true,3],["trPe4r5BTvpe16LAcMe1CKw",2,1,"explore",true,3],["tu-tKugs_SJVFwj3suH-27g",2,1,"explore",true,3],["t5-ok4RwafWjo9yCaajO0GA",1,2,"explore",true,3],["ts2is5d2qLAYoxZpMH3xsyw",1,2,"explore",true,3],["t-23OypNcDpkeO4HJxAg8_Q",1,2,"explore",true,3],["tBd014MtgBioTlGA6eJ6bCg",2,1,"explore",true,3],["tRrsoHxsyU6IoprT9u0TTeQ",2,1,"explore",true,3],["tNfWMmmAvVpOqSulVor8_3w",2,1,"explore",true,3],["twdn2P0LjKOf5teZ0g1VbfA",1,2,"explore",true,3],["t-mPzCTpZ1hSqcsTT9SgJkQ",2,1,"explore",true,3]]',1794814612.864);
CREATE TABLE impressions (
	session_id TEXT NOT NULL, 
	sequence BIGINT NOT NULL, 
	ticket TEXT NOT NULL, 
	i INTEGER NOT NULL, 
	j INTEGER NOT NULL, 
	idempotency_key TEXT, 
	purpose TEXT NOT NULL, 
	counts BOOLEAN NOT NULL, 
	plan_version INTEGER NOT NULL, 
	issued_at DOUBLE NOT NULL, 
	outcome DOUBLE, 
	clicked SMALLINT, 
	answered_at DOUBLE, 
	not_shown BOOLEAN NOT NULL, 
	void BOOLEAN NOT NULL, 
	late_outcome DOUBLE, 
	late_clicked SMALLINT, 
	late_at DOUBLE, 
	epoch INTEGER, 
	CONSTRAINT pk_impressions PRIMARY KEY (session_id, sequence), 
	CONSTRAINT uq_impressions_ticket UNIQUE (ticket), 
	CONSTRAINT fk_impressions_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',1,'t1bB6E1n4OFPxAdmnQ9qMXw',1,3,'key-0','explore',1,1,1794814612.808,0.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',2,'tdMLZHP85KCY_g6I3bf4mHQ',3,0,'key-0','explore',1,1,1794814612.808,0.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',3,'t_LxXKBVyaA-EZsIfLmam2w',0,3,'key-0','explore',1,1,1794814612.808,0.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',4,'t9rbDeYOz2DOjsIrjBV1o0Q',0,3,'key-0','explore',1,1,1794814612.808,1.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',5,'tCZSsN5EcVJitLd3T7WXsNw',2,3,'key-0','explore',1,1,1794814612.808,1.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',6,'tqacRxkvXs8mbgKjry6mJ6g',0,2,'key-0','explore',1,1,1794814612.808,0.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',7,'tp1SXz82dj6Vp8LKs1keQ4Q',0,2,'key-0','explore',1,1,1794814612.808,1.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',8,'torBt2FI7Z7SuJgsXyjz2eg',2,1,'key-0','explore',1,1,1794814612.808,1.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',9,'tYZsz1uUH9m4YKUP4ZEAXiQ',0,3,'key-0','explore',1,1,1794814612.808,0.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',10,'tjrMDYy_A_YNBFTv8lMGCJA',2,0,'key-0','explore',1,1,1794814612.808,0.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',11,'tbMRex04F5VDigL3aUrrJIQ',3,1,'key-0','explore',1,1,1794814612.808,0.0,NULL,1794814612.815,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',12,'t2GYvVwWifQN47BKpjy2mAA',1,2,'key-0','explore',1,1,1794814612.808,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',13,'tMrNgxONQoNY7pCE-VPKx6A',1,3,'key-1','explore',1,1,1794814612.826,0.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',14,'tVxNEcN_Ek-kq4nwPmhXlVw',2,3,'key-1','explore',1,1,1794814612.826,0.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',15,'tDmdPKUYtEC__Se5Y6JoS6Q',1,2,'key-1','explore',1,1,1794814612.826,0.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',16,'t6ZonREL4GDeHsIdiXXQCaw',2,3,'key-1','explore',1,1,1794814612.826,1.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',17,'tvwcCAYoUxBEt7f5Jg2mL3A',3,1,'key-1','explore',1,1,1794814612.826,0.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',18,'tEOsp4ppmb63374Egl1d3Rg',3,0,'key-1','explore',1,1,1794814612.826,1.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',19,'tF_Syw0zkuBEdrbg_-OBnBA',0,3,'key-1','explore',1,1,1794814612.826,0.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',20,'tbucqFbdlddhmVjyLTWDfBA',0,3,'key-1','explore',1,1,1794814612.826,0.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',21,'tDvUht0C9YFbGNniyWxo_cw',2,3,'key-1','explore',1,1,1794814612.826,0.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',22,'tJo7kL1HagJ3pe4mGlmiZEA',2,0,'key-1','explore',1,1,1794814612.826,1.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',23,'ti9Wfelt7RF6y0cNcJHsZpg',0,2,'key-1','explore',1,1,1794814612.826,0.0,NULL,1794814612.828,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',24,'t6KgFeodSafI7-I-Mxf_zmw',2,1,'key-1','explore',1,1,1794814612.826,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',25,'tj2L9qAnA25sWUGUU36w5lQ',0,1,'key-2','explore',1,2,1794814612.838,0.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',26,'thzXnAg4ARebVfSOsJEYFjA',0,1,'key-2','explore',1,2,1794814612.838,1.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',27,'tqA8CSB2BHpyq4MNBaZTNeQ',1,0,'key-2','explore',1,2,1794814612.838,0.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',28,'t8UC5ul726neoIOrS6VHwlw',0,1,'key-2','explore',1,2,1794814612.838,0.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',29,'tettzYjbywwjEOSHp_XwbYQ',1,0,'key-2','explore',1,2,1794814612.838,0.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',30,'tjMPat7BwhkNqx-KfMoLfDg',0,1,'key-2','explore',1,2,1794814612.838,0.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',31,'tIO-3HkUgSBvxxDYTJ0LjRA',0,1,'key-2','explore',1,2,1794814612.838,0.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',32,'tBfUOnk_npBvTJ-HMhXkqFA',1,0,'key-2','explore',1,2,1794814612.838,0.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',33,'t9xyESafrq3dS0lJvwM7vSQ',1,0,'key-2','explore',1,2,1794814612.838,0.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',34,'tniQrTQ82KA4rf6-x-5yR8g',0,1,'key-2','explore',1,2,1794814612.838,0.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',35,'tE3FOAwtUHsGnQ0p9ZuLA0Q',1,0,'key-2','explore',1,2,1794814612.838,0.0,NULL,1794814612.841,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',36,'tZY4JwgOfHWHY8hV3phHdSg',1,0,'key-2','explore',1,2,1794814612.838,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',37,'tZ9ymBmCVo5rRTYkwFLoCVw',2,1,'key-3','explore',1,3,1794814612.85,0.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',38,'tkemJzol2YV7nlMOCTGAMYA',2,1,'key-3','explore',1,3,1794814612.85,1.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',39,'tnqyuLB9MxlR9vw7eHzTWFQ',2,1,'key-3','explore',1,3,1794814612.85,0.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',40,'t90qqAfndfpBtjcajO66Zig',2,1,'key-3','explore',1,3,1794814612.85,0.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',41,'tiZEKV4O5Wm-d40hSSHvMFA',2,1,'key-3','explore',1,3,1794814612.85,1.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',42,'thM8AYw3IZ8h3cpaFUqLlkg',2,1,'key-3','explore',1,3,1794814612.85,0.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',43,'tOjb5kFUXSySppCdEprzMlg',1,2,'key-3','explore',1,3,1794814612.85,0.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',44,'tIMcpWbRk5QJBUzMJYG_F_A',2,1,'key-3','explore',1,3,1794814612.85,1.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',45,'tcGVK4Pz7hGfeowFNfum2Xw',2,1,'key-3','explore',1,3,1794814612.85,0.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',46,'tr3kgtA5t2xLoWJHnUNYbhg',2,1,'key-3','explore',1,3,1794814612.85,0.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',47,'tlwZWUjozWcrP59V-XkOFOQ',2,1,'key-3','explore',1,3,1794814612.85,1.0,NULL,1794814612.853,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',48,'tVvtUPINLOerDR-t3I94AIg',2,1,'key-3','explore',1,3,1794814612.85,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',49,'tg9UqCnYzCvXbU-osYaThhA',2,1,'key-4','explore',1,3,1794814612.856,1.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',50,'tCCPRCsuj9ZyqA8kLiea7Xg',2,1,'key-4','explore',1,3,1794814612.856,0.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',51,'tTR_SSQQxTLQdSDKjjFl6KA',1,2,'key-4','explore',1,3,1794814612.856,0.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',52,'tdm-EYrmFj17QQebLgb0sZA',1,2,'key-4','explore',1,3,1794814612.856,0.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',53,'tUEpveHXkjqHgATPmkhGr1A',2,1,'key-4','explore',1,3,1794814612.856,0.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',54,'ta4ayvr1EOhgP8ZQFgTcdHw',2,1,'key-4','explore',1,3,1794814612.856,0.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',55,'thM2YlkLdQIG7PrjVIJO12A',2,1,'key-4','explore',1,3,1794814612.856,1.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',56,'tGOEiLCMzfzt7UDo7KlSWQA',1,2,'key-4','explore',1,3,1794814612.856,1.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',57,'tsgpTfnSKs84zfEmpREV6aA',2,1,'key-4','explore',1,3,1794814612.856,0.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',58,'tbNZtzt7jTeRG59YDcARSkQ',2,1,'key-4','explore',1,3,1794814612.856,1.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',59,'tb1FzpZXElrm-UXnIMaAFgA',1,2,'key-4','explore',1,3,1794814612.856,1.0,NULL,1794814612.858,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',60,'tcMEx6NXI-k4rktgm_x4ipg',2,1,'key-4','explore',1,3,1794814612.856,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',61,'tRpWfBbd_Qd5lQsiIoVUtOQ',1,2,'key-5','explore',1,3,1794814612.864,1.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',62,'tszTntnN9tfLDjeuPBExJaA',1,2,'key-5','explore',1,3,1794814612.864,0.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',63,'trPe4r5BTvpe16LAcMe1CKw',2,1,'key-5','explore',1,3,1794814612.864,1.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',64,'tu-tKugs_SJVFwj3suH-27g',2,1,'key-5','explore',1,3,1794814612.864,0.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',65,'t5-ok4RwafWjo9yCaajO0GA',1,2,'key-5','explore',1,3,1794814612.864,0.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',66,'ts2is5d2qLAYoxZpMH3xsyw',1,2,'key-5','explore',1,3,1794814612.864,0.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',67,'t-23OypNcDpkeO4HJxAg8_Q',1,2,'key-5','explore',1,3,1794814612.864,1.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',68,'tBd014MtgBioTlGA6eJ6bCg',2,1,'key-5','explore',1,3,1794814612.864,0.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',69,'tRrsoHxsyU6IoprT9u0TTeQ',2,1,'key-5','explore',1,3,1794814612.864,1.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',70,'tNfWMmmAvVpOqSulVor8_3w',2,1,'key-5','explore',1,3,1794814612.864,0.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',71,'twdn2P0LjKOf5teZ0g1VbfA',1,2,'key-5','explore',1,3,1794814612.864,0.0,NULL,1794814612.866,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('af8080fcd4ccc1d3a97734d2',72,'t-mPzCTpZ1hSqcsTT9SgJkQ',2,1,'key-5','explore',1,3,1794814612.864,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
CREATE TABLE plans (
	session_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	demand TEXT NOT NULL, 
	handout TEXT NOT NULL, 
	report TEXT NOT NULL, 
	memory TEXT NOT NULL, 
	counted_before BIGINT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_plans PRIMARY KEY (session_id, version), 
	CONSTRAINT fk_plans_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "plans" VALUES('af8080fcd4ccc1d3a97734d2',1,0,'[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"budget":null}','{"version":1,"notes":{},"certified":null}',0,1794814612.798);
INSERT INTO "plans" VALUES('af8080fcd4ccc1d3a97734d2',2,2,'[[0,1,4],[1,2,3]]','[[0,1,4]]','{"pair":[2,3],"verdict":"not_yet","gap":0.9955608768028266,"estimated_reward":0.5,"interval":[0.014176395035571221,0.9858236049644288],"phase":"explore","samples":21,"contenders":5,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"budget":null}','{"version":2,"notes":{},"certified":null}',21,1794814612.836);
INSERT INTO "plans" VALUES('af8080fcd4ccc1d3a97734d2',3,3,'[[1,2,3]]','[[1,2,3]]','{"pair":[2,3],"verdict":"not_yet","gap":0.9955608768028266,"estimated_reward":0.5,"interval":[0.014176395035571221,0.9858236049644288],"phase":"explore","samples":32,"contenders":5,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"budget":null}','{"version":3,"notes":{},"certified":null}',32,1794814612.848);
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('af8080fcd4ccc1d3a97734d2','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
CREATE TABLE sessions (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	ticket_key BLOB NOT NULL, 
	state TEXT NOT NULL, 
	budget BIGINT, 
	plan_version INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	created_at DOUBLE NOT NULL, 
	updated_at DOUBLE NOT NULL, 
	issued BIGINT NOT NULL, 
	void BIGINT NOT NULL, 
	counted BIGINT NOT NULL, 
	answered_closed BIGINT NOT NULL, 
	next_sequence BIGINT NOT NULL, 
	cursor BIGINT NOT NULL, 
	handout_total BIGINT NOT NULL, 
	snapshot TEXT NOT NULL, 
	etag TEXT NOT NULL, 
	health TEXT NOT NULL, 
	best_i INTEGER NOT NULL, 
	best_j INTEGER NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id)
);
INSERT INTO "sessions" VALUES('af8080fcd4ccc1d3a97734d2','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'23E817B069A804A6389CA277DDA79C2B9236725D32136DF6B496660580A63E71','running',NULL,3,3,1794814612.798,1794814612.848,72,0,32,32,73,36,3,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-2","ad-3"],"i":2,"j":3,"estimated_reward":0.5,"interval":[0.014176395035571221,0.9858236049644288],"gap":0.9955608768028266,"epsilon":0.2,"delta":0.05,"phase":"explore","samples":32,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"health":[],"plan_version":3,"updated_at":"2026-11-16T07:36:52.845+00:00"}','"2989dc1e9380fa545b37e8188cb1c49c"','[]',2,3);
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('947f59ee6e8440579d1142cc4bd18f09',1794814612.792,1794814612.87);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_impressions_open ON impressions (session_id, sequence) WHERE epoch IS NULL;
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
COMMIT;
