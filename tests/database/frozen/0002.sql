BEGIN TRANSACTION;
CREATE TABLE bestpair_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT bestpair_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "bestpair_revision" VALUES('0002');
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
	epoch INTEGER NOT NULL, unanswered BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_evidence PRIMARY KEY (session_id, i, j, version), 
	CONSTRAINT fk_evidence_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "evidence" VALUES('7a413e5edf0c1d46844ea033',0,2,1,5,4.0,0,0,2,0);
INSERT INTO "evidence" VALUES('7a413e5edf0c1d46844ea033',0,3,1,7,5.0,0,0,2,0);
INSERT INTO "evidence" VALUES('7a413e5edf0c1d46844ea033',1,2,1,2,2.0,0,0,3,2);
INSERT INTO "evidence" VALUES('7a413e5edf0c1d46844ea033',1,2,2,44,31.0,0,0,3,4);
INSERT INTO "evidence" VALUES('7a413e5edf0c1d46844ea033',1,3,1,4,3.0,0,0,2,0);
INSERT INTO "evidence" VALUES('7a413e5edf0c1d46844ea033',2,3,1,4,3.0,0,0,2,0);
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
INSERT INTO "idempotency_keys" VALUES('7a413e5edf0c1d46844ea033','next-pair/batch','key-0','digest','[["t7a4fonWkMnUDoYvYruu0Iw",1,3,"explore",true,1],["tnYsZhQP4f7fp-9ag6FAcIQ",0,3,"explore",true,1],["tTImnniPxyD6I2np4j8uR-w",3,0,"explore",true,1],["tBSJ0ac070Svvq0xaTXZqtQ",0,3,"explore",true,1],["tPl1eFuRQF2ixbYO9MD-OrA",2,3,"explore",true,1],["tDdqyN1-K0FlXLAUSEAbSOw",2,0,"explore",true,1],["tzQiU8dag92mvAYtXaDmk7Q",2,0,"explore",true,1],["t9_dXfH40dRRVkMagEXkUiQ",1,2,"explore",true,1],["ta-5W4Gff9z6kMfjt5Fv_FA",0,3,"explore",true,1],["tyTVKw872OOVPx-9XWQGN9A",2,0,"explore",true,1],["t_t49CNjRdiEKNcQ47sH90A",1,3,"explore",true,1],["ts2bAIluv7hTnoOD2tuKOYg",1,2,"explore",true,1]]',1794819472.585);
INSERT INTO "idempotency_keys" VALUES('7a413e5edf0c1d46844ea033','next-pair/batch','key-1','digest','[["to5WVS89-rrzOENJ58F9BqQ",3,1,"explore",true,1],["tM8SFj42E88HfSLUqtOJonw",2,3,"explore",true,1],["tdY-LzlsPg7MdisQKsYH7EQ",2,1,"explore",true,1],["trn4krvDmh7koEWdPB5n6Lg",3,2,"explore",true,1],["tiWEgTID-35-BHvy97KExqw",1,3,"explore",true,1],["tRzQnoWNIhRy70QTB7P1hoA",3,0,"explore",true,1],["tHLKVNWXiiXI-IQCbwLVkgQ",0,3,"explore",true,1],["tgQzKtp5nNbgCpYUsFHUvBQ",3,0,"explore",true,1],["t7OzoD2dFM6VgRsuWECndJg",2,3,"explore",true,1],["tVPc6n6Zc5Fv9w13PH0is0g",2,0,"explore",true,1],["tdHo4z1tYsxrgNo9EF2a1Lg",0,2,"explore",true,1],["txCF225j-o98hDCfe_hfECQ",2,1,"explore",true,1]]',1794819472.685);
INSERT INTO "idempotency_keys" VALUES('7a413e5edf0c1d46844ea033','next-pair/batch','key-2','digest','[["tPDwjOhq9tzektk7bWPoYBQ",1,2,"explore",true,2],["t1_OMkgVSFpQQWj11bmG77Q",1,2,"explore",true,2],["tsJr1QS9qCC-NUwci1eMYjQ",2,1,"explore",true,2],["tp7c6ZD4xmLRPKSBBpJp3yA",2,1,"explore",true,2],["t6BYF3UpZX-83bKac-Vn-VA",2,1,"explore",true,2],["tO1lf4hzHiDSvsmEPDlI5wg",1,2,"explore",true,2],["ttOb-rfE__aqb-Sf1NZhpMQ",1,2,"explore",true,2],["tUr-SqFTob2y0a2LZiWHogg",1,2,"explore",true,2],["tonhk9aJamLmsEEHjZ-8pzw",2,1,"explore",true,2],["tjnCVvsx_ijECbpiPQHfF5g",2,1,"explore",true,2],["tM73HCdt4e0J3I1WnLI_roQ",2,1,"explore",true,2],["tccaIQi3rbNOR0hWlewJOpA",2,1,"explore",true,2]]',1794819472.746);
INSERT INTO "idempotency_keys" VALUES('7a413e5edf0c1d46844ea033','next-pair/batch','key-3','digest','[["tPbDlqGL64CDtnQ63-Gh9Tg",2,1,"explore",true,2],["tu-kxbepZRm_VfuDa7CLOKA",2,1,"explore",true,2],["t4HuBgjDb6MK_7GJv6IYTUw",1,2,"explore",true,2],["tQxIf9W_VpMxp5MCkNszXJA",2,1,"explore",true,2],["tEiZrNWX5jgnWsrV-972P4A",1,2,"explore",true,2],["tmzxzbdBV39mitYj3erTG4A",2,1,"explore",true,2],["tDA1qMFu_OSoYah-6GUkoRg",2,1,"explore",true,2],["tq-MJ8cKhL4XYRroXODtCww",2,1,"explore",true,2],["t17UHpO9vzBU0B9UtULbKwg",1,2,"explore",true,2],["tOW9GasABoNRmIFS3egIkjg",2,1,"explore",true,2],["twrlaLERxg_8SExDAawksqQ",2,1,"explore",true,2],["tK5coExNoAQnuop14W1bwKw",2,1,"explore",true,2]]',1794819472.781);
INSERT INTO "idempotency_keys" VALUES('7a413e5edf0c1d46844ea033','next-pair/batch','key-4','digest','[["ttV_TzR0BNabXH3UPGfnipg",2,1,"explore",true,2],["tvRnkrGqYWGJzDKIfXmLRRw",2,1,"explore",true,2],["t8mq8vhrgh8yFodpQ4yaEhQ",1,2,"explore",true,2],["tyQFhSYeFDdB941-xqNIoxw",2,1,"explore",true,2],["tZtOnukYWF5Q5VCRSIxCx-g",2,1,"explore",true,2],["tB6I4enwSafLbJq4MR7MRXQ",1,2,"explore",true,2],["t72D9ibLAzSE8csJ1r2QYfQ",1,2,"explore",true,2],["t1vYXxcWxS-pvaD1AbVjW6A",2,1,"explore",true,2],["tf6309tpUeI0HvLW-gKVx8A",2,1,"explore",true,2],["tbxT42RqzyFwRRfANXcpXhg",1,2,"explore",true,2],["tVISfe3RkVaOZ7H_Qci2b3g",1,2,"explore",true,2],["tGDl9klXB87t0r79YUiQtHw",2,1,"explore",true,2]]',1794819472.813);
INSERT INTO "idempotency_keys" VALUES('7a413e5edf0c1d46844ea033','next-pair/batch','key-5','digest','[["tDRP8j3tIDgpczcxpRSH8xw",2,1,"explore",true,2],["tqE7hLtJd6l6syr1AsSCIjw",1,2,"explore",true,2],["t9dgOjzbytVSz1-cxOkoL_A",1,2,"explore",true,2],["tLOPE7XTqlDijlncjm6blJQ",1,2,"explore",true,2],["tkwmjK00It7V4CiA8tN2ruA",1,2,"explore",true,2],["t5fbb1iJelDk1zuI4lzBqcg",1,2,"explore",true,2],["tCp24GAvHm0J5fCIoD19M7g",2,1,"explore",true,2],["tW1IxE09gw0_DcmrId-RXUw",1,2,"explore",true,2],["t_sVvcIMktD870dyqofvSaA",1,2,"explore",true,2],["tIlkr0neJJjjjB9il30wO3Q",2,1,"explore",true,2],["tj9bl16O6jDKUcOCxC1qlrA",1,2,"explore",true,2],["ttiU2m6zF5cX-6lLVXkbSgQ",1,2,"explore",true,2]]',1794819472.846);
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
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',1,'t7a4fonWkMnUDoYvYruu0Iw',1,3,'key-0','explore',1,1,1794819470.585,0.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',2,'tnYsZhQP4f7fp-9ag6FAcIQ',0,3,'key-0','explore',1,1,1794819470.585,0.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',3,'tTImnniPxyD6I2np4j8uR-w',3,0,'key-0','explore',1,1,1794819470.585,0.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',4,'tBSJ0ac070Svvq0xaTXZqtQ',0,3,'key-0','explore',1,1,1794819470.585,1.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',5,'tPl1eFuRQF2ixbYO9MD-OrA',2,3,'key-0','explore',1,1,1794819470.585,1.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',6,'tDdqyN1-K0FlXLAUSEAbSOw',2,0,'key-0','explore',1,1,1794819470.585,0.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',7,'tzQiU8dag92mvAYtXaDmk7Q',2,0,'key-0','explore',1,1,1794819470.585,0.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',8,'t9_dXfH40dRRVkMagEXkUiQ',1,2,'key-0','explore',1,1,1794819470.585,0.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',9,'ta-5W4Gff9z6kMfjt5Fv_FA',0,3,'key-0','explore',1,1,1794819470.585,0.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',10,'tyTVKw872OOVPx-9XWQGN9A',2,0,'key-0','explore',1,1,1794819470.585,0.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',11,'t_t49CNjRdiEKNcQ47sH90A',1,3,'key-0','explore',1,1,1794819470.585,0.0,NULL,1794819472.616,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',12,'ts2bAIluv7hTnoOD2tuKOYg',1,2,'key-0','explore',1,1,1794819470.585,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',13,'to5WVS89-rrzOENJ58F9BqQ',3,1,'key-1','explore',1,1,1794819470.685,0.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',14,'tM8SFj42E88HfSLUqtOJonw',2,3,'key-1','explore',1,1,1794819470.685,0.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',15,'tdY-LzlsPg7MdisQKsYH7EQ',2,1,'key-1','explore',1,1,1794819470.685,0.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',16,'trn4krvDmh7koEWdPB5n6Lg',3,2,'key-1','explore',1,1,1794819470.685,0.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',17,'tiWEgTID-35-BHvy97KExqw',1,3,'key-1','explore',1,1,1794819470.685,1.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',18,'tRzQnoWNIhRy70QTB7P1hoA',3,0,'key-1','explore',1,1,1794819470.685,1.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',19,'tHLKVNWXiiXI-IQCbwLVkgQ',0,3,'key-1','explore',1,1,1794819470.685,0.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',20,'tgQzKtp5nNbgCpYUsFHUvBQ',3,0,'key-1','explore',1,1,1794819470.685,0.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',21,'t7OzoD2dFM6VgRsuWECndJg',2,3,'key-1','explore',1,1,1794819470.685,0.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',22,'tVPc6n6Zc5Fv9w13PH0is0g',2,0,'key-1','explore',1,1,1794819470.685,1.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',23,'tdHo4z1tYsxrgNo9EF2a1Lg',0,2,'key-1','explore',1,1,1794819470.685,0.0,NULL,1794819472.698,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',24,'txCF225j-o98hDCfe_hfECQ',2,1,'key-1','explore',1,1,1794819470.685,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',25,'tPDwjOhq9tzektk7bWPoYBQ',1,2,'key-2','explore',1,2,1794819470.746,1.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',26,'t1_OMkgVSFpQQWj11bmG77Q',1,2,'key-2','explore',1,2,1794819470.746,0.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',27,'tsJr1QS9qCC-NUwci1eMYjQ',2,1,'key-2','explore',1,2,1794819470.746,1.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',28,'tp7c6ZD4xmLRPKSBBpJp3yA',2,1,'key-2','explore',1,2,1794819470.746,0.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',29,'t6BYF3UpZX-83bKac-Vn-VA',2,1,'key-2','explore',1,2,1794819470.746,0.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',30,'tO1lf4hzHiDSvsmEPDlI5wg',1,2,'key-2','explore',1,2,1794819470.746,0.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',31,'ttOb-rfE__aqb-Sf1NZhpMQ',1,2,'key-2','explore',1,2,1794819470.746,1.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',32,'tUr-SqFTob2y0a2LZiWHogg',1,2,'key-2','explore',1,2,1794819470.746,0.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',33,'tonhk9aJamLmsEEHjZ-8pzw',2,1,'key-2','explore',1,2,1794819470.746,1.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',34,'tjnCVvsx_ijECbpiPQHfF5g',2,1,'key-2','explore',1,2,1794819470.746,0.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',35,'tM73HCdt4e0J3I1WnLI_roQ',2,1,'key-2','explore',1,2,1794819470.746,0.0,NULL,1794819472.762,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',36,'tccaIQi3rbNOR0hWlewJOpA',2,1,'key-2','explore',1,2,1794819470.746,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',37,'tPbDlqGL64CDtnQ63-Gh9Tg',2,1,'key-3','explore',1,2,1794819470.781,0.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',38,'tu-kxbepZRm_VfuDa7CLOKA',2,1,'key-3','explore',1,2,1794819470.781,1.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',39,'t4HuBgjDb6MK_7GJv6IYTUw',1,2,'key-3','explore',1,2,1794819470.781,1.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',40,'tQxIf9W_VpMxp5MCkNszXJA',2,1,'key-3','explore',1,2,1794819470.781,0.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',41,'tEiZrNWX5jgnWsrV-972P4A',1,2,'key-3','explore',1,2,1794819470.781,0.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',42,'tmzxzbdBV39mitYj3erTG4A',2,1,'key-3','explore',1,2,1794819470.781,0.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',43,'tDA1qMFu_OSoYah-6GUkoRg',2,1,'key-3','explore',1,2,1794819470.781,0.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',44,'tq-MJ8cKhL4XYRroXODtCww',2,1,'key-3','explore',1,2,1794819470.781,1.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',45,'t17UHpO9vzBU0B9UtULbKwg',1,2,'key-3','explore',1,2,1794819470.781,1.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',46,'tOW9GasABoNRmIFS3egIkjg',2,1,'key-3','explore',1,2,1794819470.781,0.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',47,'twrlaLERxg_8SExDAawksqQ',2,1,'key-3','explore',1,2,1794819470.781,1.0,NULL,1794819472.794,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',48,'tK5coExNoAQnuop14W1bwKw',2,1,'key-3','explore',1,2,1794819470.781,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',49,'ttV_TzR0BNabXH3UPGfnipg',2,1,'key-4','explore',1,2,1794819470.813,1.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',50,'tvRnkrGqYWGJzDKIfXmLRRw',2,1,'key-4','explore',1,2,1794819470.813,0.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',51,'t8mq8vhrgh8yFodpQ4yaEhQ',1,2,'key-4','explore',1,2,1794819470.813,0.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',52,'tyQFhSYeFDdB941-xqNIoxw',2,1,'key-4','explore',1,2,1794819470.813,1.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',53,'tZtOnukYWF5Q5VCRSIxCx-g',2,1,'key-4','explore',1,2,1794819470.813,0.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',54,'tB6I4enwSafLbJq4MR7MRXQ',1,2,'key-4','explore',1,2,1794819470.813,0.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',55,'t72D9ibLAzSE8csJ1r2QYfQ',1,2,'key-4','explore',1,2,1794819470.813,0.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',56,'t1vYXxcWxS-pvaD1AbVjW6A',2,1,'key-4','explore',1,2,1794819470.813,0.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',57,'tf6309tpUeI0HvLW-gKVx8A',2,1,'key-4','explore',1,2,1794819470.813,0.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',58,'tbxT42RqzyFwRRfANXcpXhg',1,2,'key-4','explore',1,2,1794819470.813,0.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',59,'tVISfe3RkVaOZ7H_Qci2b3g',1,2,'key-4','explore',1,2,1794819470.813,1.0,NULL,1794819472.821,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',60,'tGDl9klXB87t0r79YUiQtHw',2,1,'key-4','explore',1,2,1794819470.813,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',61,'tDRP8j3tIDgpczcxpRSH8xw',2,1,'key-5','explore',1,2,1794819470.846,0.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',62,'tqE7hLtJd6l6syr1AsSCIjw',1,2,'key-5','explore',1,2,1794819470.846,0.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',63,'t9dgOjzbytVSz1-cxOkoL_A',1,2,'key-5','explore',1,2,1794819470.846,0.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',64,'tLOPE7XTqlDijlncjm6blJQ',1,2,'key-5','explore',1,2,1794819470.846,1.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',65,'tkwmjK00It7V4CiA8tN2ruA',1,2,'key-5','explore',1,2,1794819470.846,0.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',66,'t5fbb1iJelDk1zuI4lzBqcg',1,2,'key-5','explore',1,2,1794819470.846,0.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',67,'tCp24GAvHm0J5fCIoD19M7g',2,1,'key-5','explore',1,2,1794819470.846,0.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',68,'tW1IxE09gw0_DcmrId-RXUw',1,2,'key-5','explore',1,2,1794819470.846,0.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',69,'t_sVvcIMktD870dyqofvSaA',1,2,'key-5','explore',1,2,1794819470.846,0.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',70,'tIlkr0neJJjjjB9il30wO3Q',2,1,'key-5','explore',1,2,1794819470.846,0.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',71,'tj9bl16O6jDKUcOCxC1qlrA',1,2,'key-5','explore',1,2,1794819470.846,0.0,NULL,1794819472.858,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('7a413e5edf0c1d46844ea033',72,'ttiU2m6zF5cX-6lLVXkbSgQ',1,2,'key-5','explore',1,2,1794819470.846,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
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
INSERT INTO "plans" VALUES('7a413e5edf0c1d46844ea033',1,0,'[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":1,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[]},"certified":null}',0,1794819472.534);
INSERT INTO "plans" VALUES('7a413e5edf0c1d46844ea033',2,2,'[[1,2,3]]','[[1,2,3]]','{"pair":[0,1],"verdict":"not_yet","gap":0.9775000000000225,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":21,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":2,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[]},"certified":null}',21,1794819472.731);
INSERT INTO "plans" VALUES('7a413e5edf0c1d46844ea033',3,3,'[[0,1,3],[0,2,5],[1,3,4],[2,3,4]]','[[0,1,3],[0,2,5],[1,3,4],[2,3,4]]','{"pair":[0,1],"verdict":"not_yet","gap":0.8737610757999036,"estimated_reward":null,"interval":[0.0,1.0],"phase":"refine","samples":66,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":3,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[]},"certified":null}',66,1794819472.926);
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('7a413e5edf0c1d46844ea033','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
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
INSERT INTO "sessions" VALUES('7a413e5edf0c1d46844ea033','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'B7D9990DE845CDD872D9367E16F641C2C6EDEC5CA7DC0B925D211A811C4A6A77','running',NULL,3,3,1794819472.534,1794819472.926,72,6,66,66,73,0,16,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-0","ad-1"],"i":0,"j":1,"estimated_reward":null,"interval":[0.0,1.0],"gap":0.8737610757999036,"epsilon":0.2,"delta":0.05,"phase":"refine","samples":66,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"health":[],"plan_version":3,"updated_at":"2026-11-16T08:57:52.919+00:00"}','"85540d1d4decb4560bdca01fee6485c4"','[]',0,1);
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('711bbb350d3a4fafa0ca4c155b49247f',1794819472.503,1794819472.928);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_impressions_open ON impressions (session_id, sequence) WHERE epoch IS NULL;
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
COMMIT;
