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
INSERT INTO "evidence" VALUES('5322450e42ea78ef3f508412',0,1,2,8,4.0,0,0,3);
INSERT INTO "evidence" VALUES('5322450e42ea78ef3f508412',0,2,1,6,4.0,0,0,2);
INSERT INTO "evidence" VALUES('5322450e42ea78ef3f508412',0,3,1,4,3.0,0,0,2);
INSERT INTO "evidence" VALUES('5322450e42ea78ef3f508412',1,2,1,3,2.0,0,0,1);
INSERT INTO "evidence" VALUES('5322450e42ea78ef3f508412',1,3,1,3,2.0,0,0,2);
INSERT INTO "evidence" VALUES('5322450e42ea78ef3f508412',1,3,2,3,3.0,0,0,3);
INSERT INTO "evidence" VALUES('5322450e42ea78ef3f508412',2,3,1,4,3.0,0,0,2);
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
INSERT INTO "idempotency_keys" VALUES('5322450e42ea78ef3f508412','next-pair/batch','key-0','digest','[["tyu94bJ3Zx3XvgFT7O91f8w",2,1,"explore",true,1],["tooio2NEc2e4kvWVdV4iI3Q",2,0,"explore",true,1],["tYiZh_TeiR69qAu7WkyYjHw",0,3,"explore",true,1],["tylJmblHwVOnWUBZ-Y9HOaA",2,1,"explore",true,1],["tbMzW4i_Ct9LIrhGSwUkyDg",3,2,"explore",true,1],["tRv3uKqt1mKfaQIWw_fbcYg",0,2,"explore",true,1],["tw2qxKrjkXDBH5pFF3YszAQ",0,2,"explore",true,1],["tG-5SZQFTRcVKqkOxbkjSUg",2,1,"explore",true,1],["tHtbGI9drxG7rKWLzL6cbcg",0,3,"explore",true,1],["tMlCCidYRDR1ah3vk3SFdVQ",0,3,"explore",true,1],["tTF3qCmpXv_JPgVXZkcefzQ",3,1,"explore",true,1],["tJ8SJB1zfvWTzmSaNvde-7Q",2,1,"explore",true,1]]',1794812024.554);
INSERT INTO "idempotency_keys" VALUES('5322450e42ea78ef3f508412','next-pair/batch','key-1','digest','[["tmCQQ95AtQilUBdtLQJzWZQ",1,3,"explore",true,1],["tsg4WbvrFOY7MxmnZEkGWSg",1,3,"explore",true,1],["t-dqj1t6NAqIKqM_g47HC9w",2,3,"explore",true,1],["tBcaGqTVmtWzSeGxYrv2Zgg",2,3,"explore",true,1],["tQ3kxg0Tak3z_4ZX_W1PxdQ",1,2,"explore",true,1],["tgMGHYGepMTLj4QVeqUADwQ",2,0,"explore",true,1],["tKZNatrh53l6fgGwRON0C5w",0,3,"explore",true,1],["tHbR9JZ3rtQvtuM_sNu-U-g",2,1,"explore",true,1],["tQrRvW7G5ISvlnFvgjvJtsw",2,3,"explore",true,1],["tHYq6Pu0DYyR-Sbzfm7tzWA",0,2,"explore",true,1],["tU231twMtX2ijrZLcLFmLcg",2,0,"explore",true,1],["tBUW80qIeQij1iTjvNVfW2A",1,2,"explore",true,1]]',1794812024.578);
INSERT INTO "idempotency_keys" VALUES('5322450e42ea78ef3f508412','next-pair/batch','key-2','digest','[["twiMT2rCvqbqq9vbLvyzwxw",3,1,"explore",true,2],["tPyAXR-2sV0_m3KF3w0WMZg",0,1,"explore",true,2],["tzON1ZOWWqAj7RIKWFwW2YQ",0,1,"explore",true,2],["tY7AmhteDEw3XhOq_b8K3XQ",1,0,"explore",true,2],["tQzdh88cduNK24CwTN8B_wA",0,1,"explore",true,2],["tHpkZpFtuVvkYanQnolfziA",3,1,"explore",true,2],["t1aMhcmsFQS7jh9-p1PZMBg",0,1,"explore",true,2],["tRdCAbISHSlP8iOQWEjWxdg",1,0,"explore",true,2],["tzCiMcPM25M8uhHJjvugt2w",0,1,"explore",true,2],["tY0WzpimfTgfCISOgISgPBA",1,0,"explore",true,2],["toaberA3PhkwNebiy33iJdw",1,3,"explore",true,2],["tBwsSxzHVdvc6Yxwa3sPd7A",0,1,"explore",true,2]]',1794812024.593);
INSERT INTO "idempotency_keys" VALUES('5322450e42ea78ef3f508412','next-pair/batch','key-3','digest','[["ts4GEyTunXG1ZMmm2Bcmp5g",2,1,"explore",true,3],["tnpV-ckp-Ao0Xsq7aJq8M8w",1,2,"explore",true,3],["tBGwarPpgBGELWrbkfGf9CQ",1,2,"explore",true,3],["tMygXgcBWJm5lcdbpk4eE_Q",2,1,"explore",true,3],["tN8eemCul5-lyswQzS5-q1A",1,2,"explore",true,3],["top0-LfIwjkuh7oLAtlYn_g",1,2,"explore",true,3],["tr69dSIQPlV__n4ofs953Ag",1,2,"explore",true,3],["thzSoLcjawm9heBEKjLR1KA",2,1,"explore",true,3],["t6Frt-0t3IIZMuSEZEv-6Ew",1,2,"explore",true,3],["tl_Yz_gDDckNoe8GmNF5JWg",2,1,"explore",true,3],["tU6CMi9ZW1yvNTa8F3Qdy4g",2,1,"explore",true,3],["t3mg0MuSiWNM16o1chZ2IJw",2,1,"explore",true,3]]',1794812024.608);
INSERT INTO "idempotency_keys" VALUES('5322450e42ea78ef3f508412','next-pair/batch','key-4','digest','[["tQbU6CBcpkrIdXnfzJXaYKw",2,1,"explore",true,3],["tcbw5cgwVz8xzNfK66YPdJw",2,1,"explore",true,3],["tBmlF1VMFFpRsHTsCYQru4g",1,2,"explore",true,3],["tU80fm4VHJOykZxx2lTa7FQ",1,2,"explore",true,3],["t908KQqDn_Cnpt9OiNlKOng",2,1,"explore",true,3],["tzot8gw5_Zn7KOhcRGybfig",2,1,"explore",true,3],["tXQnaO_7B8mWfmqzeYEcr6Q",2,1,"explore",true,3],["txM8noNlt4HbGC-OuHEzCHw",2,1,"explore",true,3],["t95bSZLdwxBQDQ2FP8vywcA",1,2,"explore",true,3],["tGSZXrISSCwcfX-fP2kMoTQ",2,1,"explore",true,3],["t2LuGfRsi-gVXrT678Y7fQg",1,2,"explore",true,3],["tZn-Zfj-bTig8Wji8j9eSqA",2,1,"explore",true,3]]',1794812024.616);
INSERT INTO "idempotency_keys" VALUES('5322450e42ea78ef3f508412','next-pair/batch','key-5','digest','[["t3rYG_RjNqE9HTJhojBLnuQ",2,1,"explore",true,3],["tl9ZIpRJ0QJqPgsqndKkEKQ",2,1,"explore",true,3],["t85jgCRye9aUBs9QOwGtG_w",2,1,"explore",true,3],["twGV6BQVaITotGmlXMQW9pQ",2,1,"explore",true,3],["tiqwJleDKaIPx22xjYUb3PA",2,1,"explore",true,3],["tVWEZ8a3moSxrM-BszdvKiQ",2,1,"explore",true,3],["t5kL7okIIAaFuPEx02rndgw",1,2,"explore",true,3],["tfsJOSqlMjCkX2uNXjQRUKA",2,1,"explore",true,3],["t9ibVZbYcdcbpRfTjhULd1w",2,1,"explore",true,3],["tPXRYRUDeX3R7UvDMUIMA-w",1,2,"explore",true,3],["tRtioxIN6Gt2Vv21bFyibKg",2,1,"explore",true,3],["tnRaJAKjzOuwEpU2W76DP3Q",1,2,"explore",true,3]]',1794812024.626);
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
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',1,'tyu94bJ3Zx3XvgFT7O91f8w',2,1,'key-0','explore',1,1,1794812024.554,0.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',2,'tooio2NEc2e4kvWVdV4iI3Q',2,0,'key-0','explore',1,1,1794812024.554,1.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',3,'tYiZh_TeiR69qAu7WkyYjHw',0,3,'key-0','explore',1,1,1794812024.554,0.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',4,'tylJmblHwVOnWUBZ-Y9HOaA',2,1,'key-0','explore',1,1,1794812024.554,0.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',5,'tbMzW4i_Ct9LIrhGSwUkyDg',3,2,'key-0','explore',1,1,1794812024.554,0.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',6,'tRv3uKqt1mKfaQIWw_fbcYg',0,2,'key-0','explore',1,1,1794812024.554,0.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',7,'tw2qxKrjkXDBH5pFF3YszAQ',0,2,'key-0','explore',1,1,1794812024.554,1.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',8,'tG-5SZQFTRcVKqkOxbkjSUg',2,1,'key-0','explore',1,1,1794812024.554,1.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',9,'tHtbGI9drxG7rKWLzL6cbcg',0,3,'key-0','explore',1,1,1794812024.554,0.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',10,'tMlCCidYRDR1ah3vk3SFdVQ',0,3,'key-0','explore',1,1,1794812024.554,1.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',11,'tTF3qCmpXv_JPgVXZkcefzQ',3,1,'key-0','explore',1,1,1794812024.554,0.0,NULL,1794812024.563,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',12,'tJ8SJB1zfvWTzmSaNvde-7Q',2,1,'key-0','explore',1,1,1794812024.554,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',13,'tmCQQ95AtQilUBdtLQJzWZQ',1,3,'key-1','explore',1,1,1794812024.578,0.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',14,'tsg4WbvrFOY7MxmnZEkGWSg',1,3,'key-1','explore',1,1,1794812024.578,1.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',15,'t-dqj1t6NAqIKqM_g47HC9w',2,3,'key-1','explore',1,1,1794812024.578,0.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',16,'tBcaGqTVmtWzSeGxYrv2Zgg',2,3,'key-1','explore',1,1,1794812024.578,1.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',17,'tQ3kxg0Tak3z_4ZX_W1PxdQ',1,2,'key-1','explore',1,1,1794812024.578,1.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',18,'tgMGHYGepMTLj4QVeqUADwQ',2,0,'key-1','explore',1,1,1794812024.578,0.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',19,'tKZNatrh53l6fgGwRON0C5w',0,3,'key-1','explore',1,1,1794812024.578,0.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',20,'tHbR9JZ3rtQvtuM_sNu-U-g',2,1,'key-1','explore',1,1,1794812024.578,0.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',21,'tQrRvW7G5ISvlnFvgjvJtsw',2,3,'key-1','explore',1,1,1794812024.578,0.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',22,'tHYq6Pu0DYyR-Sbzfm7tzWA',0,2,'key-1','explore',1,1,1794812024.578,0.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',23,'tU231twMtX2ijrZLcLFmLcg',2,0,'key-1','explore',1,1,1794812024.578,0.0,NULL,1794812024.58,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',24,'tBUW80qIeQij1iTjvNVfW2A',1,2,'key-1','explore',1,1,1794812024.578,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',25,'twiMT2rCvqbqq9vbLvyzwxw',3,1,'key-2','explore',1,2,1794812024.593,0.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',26,'tPyAXR-2sV0_m3KF3w0WMZg',0,1,'key-2','explore',1,2,1794812024.593,1.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',27,'tzON1ZOWWqAj7RIKWFwW2YQ',0,1,'key-2','explore',1,2,1794812024.593,0.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',28,'tY7AmhteDEw3XhOq_b8K3XQ',1,0,'key-2','explore',1,2,1794812024.593,1.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',29,'tQzdh88cduNK24CwTN8B_wA',0,1,'key-2','explore',1,2,1794812024.593,1.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',30,'tHpkZpFtuVvkYanQnolfziA',3,1,'key-2','explore',1,2,1794812024.593,0.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',31,'t1aMhcmsFQS7jh9-p1PZMBg',0,1,'key-2','explore',1,2,1794812024.593,0.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',32,'tRdCAbISHSlP8iOQWEjWxdg',1,0,'key-2','explore',1,2,1794812024.593,0.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',33,'tzCiMcPM25M8uhHJjvugt2w',0,1,'key-2','explore',1,2,1794812024.593,0.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',34,'tY0WzpimfTgfCISOgISgPBA',1,0,'key-2','explore',1,2,1794812024.593,1.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',35,'toaberA3PhkwNebiy33iJdw',1,3,'key-2','explore',1,2,1794812024.593,0.0,NULL,1794812024.596,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',36,'tBwsSxzHVdvc6Yxwa3sPd7A',0,1,'key-2','explore',1,2,1794812024.593,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',37,'ts4GEyTunXG1ZMmm2Bcmp5g',2,1,'key-3','explore',1,3,1794812024.608,0.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',38,'tnpV-ckp-Ao0Xsq7aJq8M8w',1,2,'key-3','explore',1,3,1794812024.608,0.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',39,'tBGwarPpgBGELWrbkfGf9CQ',1,2,'key-3','explore',1,3,1794812024.608,1.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',40,'tMygXgcBWJm5lcdbpk4eE_Q',2,1,'key-3','explore',1,3,1794812024.608,0.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',41,'tN8eemCul5-lyswQzS5-q1A',1,2,'key-3','explore',1,3,1794812024.608,0.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',42,'top0-LfIwjkuh7oLAtlYn_g',1,2,'key-3','explore',1,3,1794812024.608,1.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',43,'tr69dSIQPlV__n4ofs953Ag',1,2,'key-3','explore',1,3,1794812024.608,0.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',44,'thzSoLcjawm9heBEKjLR1KA',2,1,'key-3','explore',1,3,1794812024.608,1.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',45,'t6Frt-0t3IIZMuSEZEv-6Ew',1,2,'key-3','explore',1,3,1794812024.608,1.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',46,'tl_Yz_gDDckNoe8GmNF5JWg',2,1,'key-3','explore',1,3,1794812024.608,0.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',47,'tU6CMi9ZW1yvNTa8F3Qdy4g',2,1,'key-3','explore',1,3,1794812024.608,1.0,NULL,1794812024.611,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',48,'t3mg0MuSiWNM16o1chZ2IJw',2,1,'key-3','explore',1,3,1794812024.608,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',49,'tQbU6CBcpkrIdXnfzJXaYKw',2,1,'key-4','explore',1,3,1794812024.616,1.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',50,'tcbw5cgwVz8xzNfK66YPdJw',2,1,'key-4','explore',1,3,1794812024.616,0.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',51,'tBmlF1VMFFpRsHTsCYQru4g',1,2,'key-4','explore',1,3,1794812024.616,0.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',52,'tU80fm4VHJOykZxx2lTa7FQ',1,2,'key-4','explore',1,3,1794812024.616,0.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',53,'t908KQqDn_Cnpt9OiNlKOng',2,1,'key-4','explore',1,3,1794812024.616,0.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',54,'tzot8gw5_Zn7KOhcRGybfig',2,1,'key-4','explore',1,3,1794812024.616,0.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',55,'tXQnaO_7B8mWfmqzeYEcr6Q',2,1,'key-4','explore',1,3,1794812024.616,1.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',56,'txM8noNlt4HbGC-OuHEzCHw',2,1,'key-4','explore',1,3,1794812024.616,0.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',57,'t95bSZLdwxBQDQ2FP8vywcA',1,2,'key-4','explore',1,3,1794812024.616,0.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',58,'tGSZXrISSCwcfX-fP2kMoTQ',2,1,'key-4','explore',1,3,1794812024.616,1.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',59,'t2LuGfRsi-gVXrT678Y7fQg',1,2,'key-4','explore',1,3,1794812024.616,1.0,NULL,1794812024.619,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',60,'tZn-Zfj-bTig8Wji8j9eSqA',2,1,'key-4','explore',1,3,1794812024.616,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',61,'t3rYG_RjNqE9HTJhojBLnuQ',2,1,'key-5','explore',1,3,1794812024.626,0.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',62,'tl9ZIpRJ0QJqPgsqndKkEKQ',2,1,'key-5','explore',1,3,1794812024.626,0.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',63,'t85jgCRye9aUBs9QOwGtG_w',2,1,'key-5','explore',1,3,1794812024.626,1.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',64,'twGV6BQVaITotGmlXMQW9pQ',2,1,'key-5','explore',1,3,1794812024.626,0.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',65,'tiqwJleDKaIPx22xjYUb3PA',2,1,'key-5','explore',1,3,1794812024.626,0.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',66,'tVWEZ8a3moSxrM-BszdvKiQ',2,1,'key-5','explore',1,3,1794812024.626,1.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',67,'t5kL7okIIAaFuPEx02rndgw',1,2,'key-5','explore',1,3,1794812024.626,1.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',68,'tfsJOSqlMjCkX2uNXjQRUKA',2,1,'key-5','explore',1,3,1794812024.626,0.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',69,'t9ibVZbYcdcbpRfTjhULd1w',2,1,'key-5','explore',1,3,1794812024.626,1.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',70,'tPXRYRUDeX3R7UvDMUIMA-w',1,2,'key-5','explore',1,3,1794812024.626,1.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',71,'tRtioxIN6Gt2Vv21bFyibKg',2,1,'key-5','explore',1,3,1794812024.626,0.0,NULL,1794812024.63,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('5322450e42ea78ef3f508412',72,'tnRaJAKjzOuwEpU2W76DP3Q',1,2,'key-5','explore',1,3,1794812024.626,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
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
INSERT INTO "plans" VALUES('5322450e42ea78ef3f508412',1,0,'[[0,2,3],[0,3,3],[1,2,4],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,3],[1,2,4],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"assumptions":[],"budget":null}','{"version":1,"notes":{},"certified":null}',0,1794812024.542);
INSERT INTO "plans" VALUES('5322450e42ea78ef3f508412',2,2,'[[0,1,4],[1,2,1],[1,3,1]]','[[0,1,4],[1,3,1]]','{"pair":[0,2],"verdict":"not_yet","gap":0.9976017524365325,"estimated_reward":0.33333333333333337,"interval":[0.007664635044557611,0.9088717772370809],"phase":"explore","samples":20,"contenders":5,"assumptions":[],"budget":null}','{"version":2,"notes":{},"certified":null}',20,1794812024.59);
INSERT INTO "plans" VALUES('5322450e42ea78ef3f508412',3,3,'[[1,2,1]]','[[1,2,1]]','{"pair":[0,1],"verdict":"not_yet","gap":0.9137368712098015,"estimated_reward":0.5,"interval":[0.057982970669163025,0.942017029330837],"phase":"explore","samples":31,"contenders":5,"assumptions":[],"budget":null}','{"version":3,"notes":{},"certified":null}',31,1794812024.605);
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('5322450e42ea78ef3f508412','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
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
INSERT INTO "sessions" VALUES('5322450e42ea78ef3f508412','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'95ADFA3ADC2AFD0CFB17F8E181A28EB241F8833249EDF3CD4A28E2C96AF0DDCA','running',NULL,3,3,1794812024.542,1794812024.605,72,0,31,31,73,36,1,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-0","ad-1"],"i":0,"j":1,"estimated_reward":0.5,"interval":[0.057982970669163025,0.942017029330837],"gap":0.9137368712098015,"epsilon":0.2,"delta":0.05,"phase":"explore","samples":31,"contenders":5,"forecast_samples":null,"assumptions":[],"health":[],"plan_version":3,"updated_at":"2026-11-16T06:53:44.602+00:00"}','"215571291326632832b0cad8b8fbe57a"','[]',0,1);
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('37ff36a70c9d403a8b299c9fd2f11099',1794812024.531,1794812024.636);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_impressions_open ON impressions (session_id, sequence) WHERE epoch IS NULL;
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
COMMIT;
