BEGIN TRANSACTION;
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	actor TEXT NOT NULL, 
	action TEXT NOT NULL, 
	session_id TEXT, 
	details TEXT NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,1794991308.402,'open access','create','d7d49526ec99db49f852d156','{"name":"frozen","items":4}');
CREATE TABLE bestpair_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT bestpair_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "bestpair_revision" VALUES('0006');
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
	unanswered BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_evidence PRIMARY KEY (session_id, i, j, version), 
	CONSTRAINT fk_evidence_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',0,1,3,3,2.0,0,0,1);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',0,1,4,1,1.0,0,0,1);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',0,2,1,5,4.0,0,0,0);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',0,2,3,8,5.0,0,0,0);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',0,2,4,1,0.0,0,0,0);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',0,3,1,7,5.0,0,0,0);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',0,3,3,5,3.0,0,0,1);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',0,3,4,9,5.0,0,0,0);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',1,2,1,2,2.0,0,0,2);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',1,2,2,11,9.0,0,0,1);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',1,3,1,4,3.0,0,0,0);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',1,3,3,6,5.0,0,0,0);
INSERT INTO "evidence" VALUES('d7d49526ec99db49f852d156',2,3,1,4,4.0,0,0,0);
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
INSERT INTO "idempotency_keys" VALUES('d7d49526ec99db49f852d156','next-pair/batch','key-0','digest','[["t1a1edd1be77jJFJ7qKHk3rQrkaLkrI_qqfy",3,1,"explore",true,1],["t1a1edd1be78j3t5HlZobPtQzS3UNd9XzPXK",0,3,"explore",true,1],["t1a1edd1be78ARgCvSDAK1RbrLdEcNQUJ_BU",0,3,"explore",true,1],["t1a1edd1be78529a-SchaqOjDIfcrTkWL5St",3,0,"explore",true,1],["t1a1edd1be78H3xUQLLLHclm0k6ZR1GvpuBa",3,2,"explore",true,1],["t1a1edd1be78Aj_OZhL8Qqe2B1QYDocq3aIa",2,0,"explore",true,1],["t1a1edd1be78c6Mx8W5Vk76dWbw4Hcpcgq38",0,2,"explore",true,1],["t1a1edd1be78ad8cPlckJQG-DqAPTxvu5-sq",1,2,"explore",true,1],["t1a1edd1be78DYtPpaUlZZNMNWZhgP7-MwPC",3,0,"explore",true,1],["t1a1edd1be78DIaI2_WiYbrWKDknPKlWXhjV",2,0,"explore",true,1],["t1a1edd1be78KAJ_RIWgu8t2tBu14KsudQdc",1,3,"explore",true,1],["t1a1edd1be78rwQ4TwTG_ITWQg098dS6HFA-",1,2,"explore",true,1]]',1794991308.407);
INSERT INTO "idempotency_keys" VALUES('d7d49526ec99db49f852d156','next-pair/batch','key-1','digest','[["t1a1edd1be80MiuY4QTkTytQl3KGkcxNUbi3",1,3,"explore",true,1],["t1a1edd1be80oQbaimpgmNJFHkjRA0srYWGH",3,2,"explore",true,1],["t1a1edd1be80I4mS7WQpFVPGwQAb6Un_jVDR",2,1,"explore",true,1],["t1a1edd1be80fwn1E02PH7Vw1iMZHi2HaR8F",3,2,"explore",true,1],["t1a1edd1be803flBZJhZWSTE_e7SJMZgjoeE",3,1,"explore",true,1],["t1a1edd1be80jdI1z1e0ALUB3Xr_3aWi3q0h",0,3,"explore",true,1],["t1a1edd1be80I4exOkChfO4c7bSOs-6GJHpR",0,3,"explore",true,1],["t1a1edd1be80GcaMXqbBkaHe4CHG7aJ5sz70",3,0,"explore",true,1],["t1a1edd1be80zIgIAfS4l1yYA4ERPCWn7eVp",2,3,"explore",true,1],["t1a1edd1be80rHjG4eomFAQNj4nuZrahDB0K",0,2,"explore",true,1],["t1a1edd1be80c_OVoVTjBqZGhw3yv82Xdihw",2,0,"explore",true,1],["t1a1edd1be80xIeZCKMEGygH5417dc01riku",1,2,"explore",true,1]]',1794991308.416);
INSERT INTO "idempotency_keys" VALUES('d7d49526ec99db49f852d156','next-pair/batch','key-2','digest','[["t1a1edd1be88efUxhFqrF8YwLnQMOuiuSuNZ",1,2,"explore",true,2],["t1a1edd1be88zJzu47IA8oowrleFNzvei-7A",1,2,"explore",true,2],["t1a1edd1be88xKBiTEYmMTUEQHaRZXfcX5Bu",1,2,"explore",true,2],["t1a1edd1be88mx0ceZ-2qiCNBoW2yEJVZFRE",2,1,"explore",true,2],["t1a1edd1be888SIUNcbFqSHa3wh4zGnYcJ7l",2,1,"explore",true,2],["t1a1edd1be88ZITvPQqCmXfO6AN-0TwkxWIV",1,2,"explore",true,2],["t1a1edd1be880LEx7rwk2y3c_BYza5gatoaU",2,1,"explore",true,2],["t1a1edd1be887xM5qDh5TfC3Pyt40jndDt5K",1,2,"explore",true,2],["t1a1edd1be88uXZbG0HOzKcO_CUpi0ufsS0s",2,1,"explore",true,2],["t1a1edd1be88lN6RePehpuykctYaeqNFapfL",2,1,"explore",true,2],["t1a1edd1be88BaK5-E9kV_U_0sdGT824IjsT",1,2,"explore",true,2],["t1a1edd1be88c481PawtQIzZi6_KXC072iGP",2,1,"explore",true,2]]',1794991308.424);
INSERT INTO "idempotency_keys" VALUES('d7d49526ec99db49f852d156','next-pair/batch','key-3','digest','[["t1a1edd1be8dWIHJkhiEhC1l6pPUo_eH2Qyo",0,2,"explore",true,3],["t1a1edd1be8dIq5LcMkPBkjauEt8fQldTgi1",0,1,"explore",true,3],["t1a1edd1be8dDIHLw8g9CmrNk91zdvgGTKVr",0,2,"explore",true,3],["t1a1edd1be8dQ7q5MpSsJM5wiIMOYf-ADj91",2,0,"explore",true,3],["t1a1edd1be8dR5Cl9IcZMNaeOU0A3N4ppW-d",0,3,"explore",true,3],["t1a1edd1be8dxc48nFHCsplqxK8U5xRBo5MY",3,1,"explore",true,3],["t1a1edd1be8dxFbcDkOHnikC-vWiaqxIy1t6",1,3,"explore",true,3],["t1a1edd1be8dEobRY2PcphZfW3XKQx4a5q0d",0,3,"explore",true,3],["t1a1edd1be8dgpwTxxTKV_is0DN6OdGdv74F",1,0,"explore",true,3],["t1a1edd1be8dyCQImkAiBzqcv5WFwh0g0IZI",3,1,"explore",true,3],["t1a1edd1be8dlfR3ACY94sICNKdjXXNZAy7q",2,0,"explore",true,3],["t1a1edd1be8dpmvc7vt7JFHleMbtarBt4uy9",1,0,"explore",true,3]]',1794991308.429);
INSERT INTO "idempotency_keys" VALUES('d7d49526ec99db49f852d156','next-pair/batch','key-4','digest','[["t1a1edd1be8fCYpysUUf3QFVbnH_hDQ_0Y8B",3,0,"explore",true,3],["t1a1edd1be8f346JfFqg83oTyoccgSZQbsRa",2,0,"explore",true,3],["t1a1edd1be8fdlvwMmaJ-uBCq4BUocX7sida",0,3,"explore",true,3],["t1a1edd1be8fWQPt_GxFe8HBCs_u2kpZLH7l",1,3,"explore",true,3],["t1a1edd1be8fGzpnHcehk3ysDF8T-g9F8-vd",0,2,"explore",true,3],["t1a1edd1be8foT1v5_esUodJDdyxXd7-Hw4D",1,0,"explore",true,3],["t1a1edd1be8fNOs-wlDCBnmUUJZ2kNFeNqSu",2,0,"explore",true,3],["t1a1edd1be8fTCzPpYfCslUpdtqzIZymTj9P",2,0,"explore",true,3],["t1a1edd1be8foIKdwNXlypK5vpsQoT5DqNt9",3,0,"explore",true,3],["t1a1edd1be8f7kvcEHh9JlzF4vJ9wGuPoVIh",3,1,"explore",true,3],["t1a1edd1be8fc902iiDdPNeDgI0A9qKaotSh",3,1,"explore",true,3],["t1a1edd1be8fhE79AZQqIILLsOO8TdJ__s50",3,0,"explore",true,3]]',1794991308.431);
INSERT INTO "idempotency_keys" VALUES('d7d49526ec99db49f852d156','next-pair/batch','key-5','digest','[["t1a1edd1be94Tp28XNyvMCGcchBveecLx8aX",3,0,"explore",true,4],["t1a1edd1be94PE_HkyXEuhX8ax0oBK73cdP8",3,0,"explore",true,4],["t1a1edd1be943ZeD26R37bGM-p-UdG7Ss0qa",0,3,"explore",true,4],["t1a1edd1be94Rp0ttJyJBdBMai4P0pwP4nWK",0,1,"explore",true,4],["t1a1edd1be94orGBBA7VzzkMhxCdXCa2WcV3",3,0,"explore",true,4],["t1a1edd1be94tNmV3h6sOHX9wzv_Bf2TaLUT",2,0,"explore",true,4],["t1a1edd1be94ZDB6IsVZsb7aPPpiB4nMdeeA",0,3,"explore",true,4],["t1a1edd1be94VsaMcfFkxVtCZYEw4VHr6nJR",0,3,"explore",true,4],["t1a1edd1be94FU1HtoRh2422Be4psm6nd0BL",0,3,"explore",true,4],["t1a1edd1be94NjTuRSXMcZJmkpiZ8OhHFqJy",0,3,"explore",true,4],["t1a1edd1be94EQkVmF850IGyWGQZvV5m_xvw",0,3,"explore",true,4],["t1a1edd1be94jiJMtsP2YXK1yYY16_JJNj8d",1,0,"explore",true,4]]',1794991308.435);
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
	old_epoch INTEGER, given_up BOOLEAN DEFAULT false NOT NULL, 
	CONSTRAINT pk_impressions PRIMARY KEY (session_id, sequence), 
	CONSTRAINT uq_impressions_ticket UNIQUE (ticket), 
	CONSTRAINT fk_impressions_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',1,'t1a1edd1be77jJFJ7qKHk3rQrkaLkrI_qqfy',3,1,'key-0','explore',1,1,1794991306.407,1.0,NULL,1794991308.41,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',2,'t1a1edd1be78j3t5HlZobPtQzS3UNd9XzPXK',0,3,'key-0','explore',1,1,1794991306.407,0.0,NULL,1794991308.409,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',3,'t1a1edd1be78ARgCvSDAK1RbrLdEcNQUJ_BU',0,3,'key-0','explore',1,1,1794991306.407,0.0,NULL,1794991308.409,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',4,'t1a1edd1be78529a-SchaqOjDIfcrTkWL5St',3,0,'key-0','explore',1,1,1794991306.407,1.0,NULL,1794991308.41,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',5,'t1a1edd1be78H3xUQLLLHclm0k6ZR1GvpuBa',3,2,'key-0','explore',1,1,1794991306.407,0.0,NULL,1794991308.409,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',6,'t1a1edd1be78Aj_OZhL8Qqe2B1QYDocq3aIa',2,0,'key-0','explore',1,1,1794991306.407,0.0,NULL,1794991308.409,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',7,'t1a1edd1be78c6Mx8W5Vk76dWbw4Hcpcgq38',0,2,'key-0','explore',1,1,1794991306.407,1.0,NULL,1794991308.41,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',8,'t1a1edd1be78ad8cPlckJQG-DqAPTxvu5-sq',1,2,'key-0','explore',1,1,1794991306.407,0.0,NULL,1794991308.409,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',9,'t1a1edd1be78DYtPpaUlZZNMNWZhgP7-MwPC',3,0,'key-0','explore',1,1,1794991306.407,0.0,NULL,1794991308.409,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',10,'t1a1edd1be78DIaI2_WiYbrWKDknPKlWXhjV',2,0,'key-0','explore',1,1,1794991306.407,0.0,NULL,1794991308.409,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',11,'t1a1edd1be78KAJ_RIWgu8t2tBu14KsudQdc',1,3,'key-0','explore',1,1,1794991306.407,0.0,NULL,1794991308.409,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',12,'t1a1edd1be78rwQ4TwTG_ITWQg098dS6HFA-',1,2,'key-0','explore',1,1,1794991306.407,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',13,'t1a1edd1be80MiuY4QTkTytQl3KGkcxNUbi3',1,3,'key-1','explore',1,1,1794991306.416,0.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',14,'t1a1edd1be80oQbaimpgmNJFHkjRA0srYWGH',3,2,'key-1','explore',1,1,1794991306.416,0.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',15,'t1a1edd1be80I4mS7WQpFVPGwQAb6Un_jVDR',2,1,'key-1','explore',1,1,1794991306.416,0.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',16,'t1a1edd1be80fwn1E02PH7Vw1iMZHi2HaR8F',3,2,'key-1','explore',1,1,1794991306.416,0.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',17,'t1a1edd1be803flBZJhZWSTE_e7SJMZgjoeE',3,1,'key-1','explore',1,1,1794991306.416,0.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',18,'t1a1edd1be80jdI1z1e0ALUB3Xr_3aWi3q0h',0,3,'key-1','explore',1,1,1794991306.416,1.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',19,'t1a1edd1be80I4exOkChfO4c7bSOs-6GJHpR',0,3,'key-1','explore',1,1,1794991306.416,0.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',20,'t1a1edd1be80GcaMXqbBkaHe4CHG7aJ5sz70',3,0,'key-1','explore',1,1,1794991306.416,0.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',21,'t1a1edd1be80zIgIAfS4l1yYA4ERPCWn7eVp',2,3,'key-1','explore',1,1,1794991306.416,0.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',22,'t1a1edd1be80rHjG4eomFAQNj4nuZrahDB0K',0,2,'key-1','explore',1,1,1794991306.416,0.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',23,'t1a1edd1be80c_OVoVTjBqZGhw3yv82Xdihw',2,0,'key-1','explore',1,1,1794991306.416,0.0,NULL,1794991308.417,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',24,'t1a1edd1be80xIeZCKMEGygH5417dc01riku',1,2,'key-1','explore',1,1,1794991306.416,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',25,'t1a1edd1be88efUxhFqrF8YwLnQMOuiuSuNZ',1,2,'key-2','explore',1,2,1794991306.424,1.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',26,'t1a1edd1be88zJzu47IA8oowrleFNzvei-7A',1,2,'key-2','explore',1,2,1794991306.424,0.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',27,'t1a1edd1be88xKBiTEYmMTUEQHaRZXfcX5Bu',1,2,'key-2','explore',1,2,1794991306.424,0.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',28,'t1a1edd1be88mx0ceZ-2qiCNBoW2yEJVZFRE',2,1,'key-2','explore',1,2,1794991306.424,0.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',29,'t1a1edd1be888SIUNcbFqSHa3wh4zGnYcJ7l',2,1,'key-2','explore',1,2,1794991306.424,0.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',30,'t1a1edd1be88ZITvPQqCmXfO6AN-0TwkxWIV',1,2,'key-2','explore',1,2,1794991306.424,0.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',31,'t1a1edd1be880LEx7rwk2y3c_BYza5gatoaU',2,1,'key-2','explore',1,2,1794991306.424,0.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',32,'t1a1edd1be887xM5qDh5TfC3Pyt40jndDt5K',1,2,'key-2','explore',1,2,1794991306.424,0.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',33,'t1a1edd1be88uXZbG0HOzKcO_CUpi0ufsS0s',2,1,'key-2','explore',1,2,1794991306.424,1.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',34,'t1a1edd1be88lN6RePehpuykctYaeqNFapfL',2,1,'key-2','explore',1,2,1794991306.424,0.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',35,'t1a1edd1be88BaK5-E9kV_U_0sdGT824IjsT',1,2,'key-2','explore',1,2,1794991306.424,0.0,NULL,1794991308.425,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',36,'t1a1edd1be88c481PawtQIzZi6_KXC072iGP',2,1,'key-2','explore',1,2,1794991306.424,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',37,'t1a1edd1be8dWIHJkhiEhC1l6pPUo_eH2Qyo',0,2,'key-3','explore',1,3,1794991306.429,1.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',38,'t1a1edd1be8dIq5LcMkPBkjauEt8fQldTgi1',0,1,'key-3','explore',1,3,1794991306.429,0.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',39,'t1a1edd1be8dDIHLw8g9CmrNk91zdvgGTKVr',0,2,'key-3','explore',1,3,1794991306.429,0.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',40,'t1a1edd1be8dQ7q5MpSsJM5wiIMOYf-ADj91',2,0,'key-3','explore',1,3,1794991306.429,0.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',41,'t1a1edd1be8dR5Cl9IcZMNaeOU0A3N4ppW-d',0,3,'key-3','explore',1,3,1794991306.429,0.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',42,'t1a1edd1be8dxc48nFHCsplqxK8U5xRBo5MY',3,1,'key-3','explore',1,3,1794991306.429,0.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',43,'t1a1edd1be8dxFbcDkOHnikC-vWiaqxIy1t6',1,3,'key-3','explore',1,3,1794991306.429,0.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',44,'t1a1edd1be8dEobRY2PcphZfW3XKQx4a5q0d',0,3,'key-3','explore',1,3,1794991306.429,0.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',45,'t1a1edd1be8dgpwTxxTKV_is0DN6OdGdv74F',1,0,'key-3','explore',1,3,1794991306.429,1.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',46,'t1a1edd1be8dyCQImkAiBzqcv5WFwh0g0IZI',3,1,'key-3','explore',1,3,1794991306.429,1.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',47,'t1a1edd1be8dlfR3ACY94sICNKdjXXNZAy7q',2,0,'key-3','explore',1,3,1794991306.429,1.0,NULL,1794991308.43,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',48,'t1a1edd1be8dpmvc7vt7JFHleMbtarBt4uy9',1,0,'key-3','explore',1,3,1794991306.429,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',49,'t1a1edd1be8fCYpysUUf3QFVbnH_hDQ_0Y8B',3,0,'key-4','explore',1,3,1794991306.431,0.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',50,'t1a1edd1be8f346JfFqg83oTyoccgSZQbsRa',2,0,'key-4','explore',1,3,1794991306.431,0.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',51,'t1a1edd1be8fdlvwMmaJ-uBCq4BUocX7sida',0,3,'key-4','explore',1,3,1794991306.431,1.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',52,'t1a1edd1be8fWQPt_GxFe8HBCs_u2kpZLH7l',1,3,'key-4','explore',1,3,1794991306.431,0.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',53,'t1a1edd1be8fGzpnHcehk3ysDF8T-g9F8-vd',0,2,'key-4','explore',1,3,1794991306.431,0.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',54,'t1a1edd1be8foT1v5_esUodJDdyxXd7-Hw4D',1,0,'key-4','explore',1,3,1794991306.431,0.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',55,'t1a1edd1be8fNOs-wlDCBnmUUJZ2kNFeNqSu',2,0,'key-4','explore',1,3,1794991306.431,1.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',56,'t1a1edd1be8fTCzPpYfCslUpdtqzIZymTj9P',2,0,'key-4','explore',1,3,1794991306.431,0.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',57,'t1a1edd1be8foIKdwNXlypK5vpsQoT5DqNt9',3,0,'key-4','explore',1,3,1794991306.431,1.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',58,'t1a1edd1be8f7kvcEHh9JlzF4vJ9wGuPoVIh',3,1,'key-4','explore',1,3,1794991306.431,0.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',59,'t1a1edd1be8fc902iiDdPNeDgI0A9qKaotSh',3,1,'key-4','explore',1,3,1794991306.431,0.0,NULL,1794991308.431,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',60,'t1a1edd1be8fhE79AZQqIILLsOO8TdJ__s50',3,0,'key-4','explore',1,3,1794991306.431,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',61,'t1a1edd1be94Tp28XNyvMCGcchBveecLx8aX',3,0,'key-5','explore',1,4,1794991306.435,0.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',62,'t1a1edd1be94PE_HkyXEuhX8ax0oBK73cdP8',3,0,'key-5','explore',1,4,1794991306.435,1.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',63,'t1a1edd1be943ZeD26R37bGM-p-UdG7Ss0qa',0,3,'key-5','explore',1,4,1794991306.435,0.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',64,'t1a1edd1be94Rp0ttJyJBdBMai4P0pwP4nWK',0,1,'key-5','explore',1,4,1794991306.435,0.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',65,'t1a1edd1be94orGBBA7VzzkMhxCdXCa2WcV3',3,0,'key-5','explore',1,4,1794991306.435,1.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',66,'t1a1edd1be94tNmV3h6sOHX9wzv_Bf2TaLUT',2,0,'key-5','explore',1,4,1794991306.435,1.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',67,'t1a1edd1be94ZDB6IsVZsb7aPPpiB4nMdeeA',0,3,'key-5','explore',1,4,1794991306.435,0.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',68,'t1a1edd1be94VsaMcfFkxVtCZYEw4VHr6nJR',0,3,'key-5','explore',1,4,1794991306.435,1.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',69,'t1a1edd1be94FU1HtoRh2422Be4psm6nd0BL',0,3,'key-5','explore',1,4,1794991306.435,0.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',70,'t1a1edd1be94NjTuRSXMcZJmkpiZ8OhHFqJy',0,3,'key-5','explore',1,4,1794991306.435,0.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',71,'t1a1edd1be94EQkVmF850IGyWGQZvV5m_xvw',0,3,'key-5','explore',1,4,1794991306.435,1.0,NULL,1794991308.436,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('d7d49526ec99db49f852d156',72,'t1a1edd1be94jiJMtsP2YXK1yYY16_JJNj8d',1,0,'key-5','explore',1,4,1794991306.435,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
CREATE TABLE key_changes (
	one INTEGER NOT NULL, 
	number BIGINT NOT NULL, 
	CONSTRAINT pk_key_changes PRIMARY KEY (one)
);
CREATE TABLE keys (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	ending TEXT NOT NULL, 
	scopes TEXT NOT NULL, 
	session_id TEXT, 
	rate TEXT, 
	created_at DOUBLE NOT NULL, 
	revoked_at DOUBLE, 
	CONSTRAINT pk_keys PRIMARY KEY (id)
);
CREATE TABLE plans (
	session_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	demand TEXT NOT NULL, 
	handout TEXT NOT NULL, 
	report TEXT NOT NULL, 
	memory TEXT NOT NULL, 
	counted_before BIGINT NOT NULL, 
	created_at DOUBLE NOT NULL, id TEXT DEFAULT '' NOT NULL, watermark BIGINT, digest TEXT DEFAULT '' NOT NULL, known TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_plans PRIMARY KEY (session_id, version), 
	CONSTRAINT fk_plans_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "plans" VALUES('d7d49526ec99db49f852d156',1,0,'[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,2,null,0.0,1.0,0],[0,3,null,0.0,1.0,0],[1,2,null,0.0,1.0,0],[1,3,null,0.0,1.0,0],[2,3,null,0.0,1.0,0]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":1,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',0,1794991308.402,'0e4f109ea56d08f1d1a8298d',0,'','');
INSERT INTO "plans" VALUES('d7d49526ec99db49f852d156',2,0,'[[1,2,2]]','[[1,2,2]]','{"pair":[0,1],"verdict":"not_yet","gap":0.9943429983321354,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":11,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[1,3,0.5,0.0010427540025754745,0.9989572459974245,2],[1,2,0.0,0.0,0.9958333333333375,1],[2,3,0.0,0.0,0.9958333333333375,1],[0,2,0.33333333333333337,0.000521376859263678,0.9769100981828757,3],[0,3,0.25,0.0003258392431972901,0.9295132087095768,4]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":2,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',22,1794991308.423,'db733cfeef97549231a54e56',11,'f10e0c971cc5cfffb913cbdd32c253b386befdf53a437a236db3d14a4669508c','{"i":[0,0,1,1,2],"j":[2,3,2,3,3],"version":[1,1,1,1,1],"n":[2,3,1,2,3],"s":[2.0,2.0,1.0,2.0,3.0],"clicks_i":[0,0,0,0,0],"clicks_j":[0,0,0,0,0]}');
INSERT INTO "plans" VALUES('d7d49526ec99db49f852d156',3,0,'[[0,1,3],[0,2,5],[0,3,4],[1,3,4]]','[[0,1,3],[0,2,5],[0,3,4],[1,3,4]]','{"pair":[0,1],"verdict":"not_yet","gap":0.9943429983321354,"estimated_reward":null,"interval":[0.0,1.0],"phase":"refine","samples":11,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[1,3,0.5,0.0010427540025754745,0.9989572459974245,2],[1,2,0.0,0.0,0.9958333333333375,1],[2,3,0.0,0.0,0.9958333333333375,1],[0,2,0.33333333333333337,0.000521376859263678,0.9769100981828757,3],[0,3,0.25,0.0003258392431972901,0.9295132087095768,4]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":3,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',33,1794991308.428,'1de81a2cf2a531dfc1488e24',11,'f10e0c971cc5cfffb913cbdd32c253b386befdf53a437a236db3d14a4669508c','{"i":[0,0,1,1,1,2],"j":[2,3,2,2,3,3],"version":[1,1,1,2,1,1],"n":[2,3,1,11,2,3],"s":[2.0,2.0,1.0,9.0,2.0,3.0],"clicks_i":[0,0,0,0,0,0],"clicks_j":[0,0,0,0,0,0]}');
INSERT INTO "plans" VALUES('d7d49526ec99db49f852d156',4,0,'[[0,1,3],[0,2,1],[0,3,12]]','[[0,1,2],[0,2,1],[0,3,11]]','{"pair":[0,1],"verdict":"not_yet","gap":0.9943429983321354,"estimated_reward":null,"interval":[0.0,1.0],"phase":"refine","samples":11,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[1,3,0.5,0.0010427540025754745,0.9989572459974245,2],[1,2,0.0,0.0,0.9958333333333375,1],[2,3,0.0,0.0,0.9958333333333375,1],[0,2,0.33333333333333337,0.000521376859263678,0.9769100981828757,3],[0,3,0.25,0.0003258392431972901,0.9295132087095768,4]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":4,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',55,1794991308.435,'3f558f15205c75320cf61d6d',11,'f10e0c971cc5cfffb913cbdd32c253b386befdf53a437a236db3d14a4669508c','{"i":[0,0,0,0,0,1,1,1,1,2],"j":[1,2,2,3,3,2,2,3,3,3],"version":[3,1,3,1,3,1,2,1,3,1],"n":[3,2,8,3,5,1,11,2,6,3],"s":[2.0,2.0,5.0,2.0,3.0,1.0,9.0,2.0,5.0,3.0],"clicks_i":[0,0,0,0,0,0,0,0,0,0],"clicks_j":[0,0,0,0,0,0,0,0,0,0]}');
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('d7d49526ec99db49f852d156','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
CREATE TABLE sessions (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	settings TEXT NOT NULL, 
	ticket_key BLOB NOT NULL, 
	state TEXT NOT NULL, 
	budget BIGINT, 
	plan_version INTEGER NOT NULL, 
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
	best_j INTEGER NOT NULL, plan_id TEXT DEFAULT '' NOT NULL, open_at_clock_step BIGINT DEFAULT 0 NOT NULL, clock_step_at DOUBLE DEFAULT 0 NOT NULL, editable_settings TEXT DEFAULT '{}' NOT NULL, watermark BIGINT DEFAULT 0 NOT NULL, digest TEXT DEFAULT '' NOT NULL, first_chained BIGINT DEFAULT 1 NOT NULL, delays TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id)
);
INSERT INTO "sessions" VALUES('d7d49526ec99db49f852d156','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"while_waiting":"explore","attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'E29AC0A73FFC46AE786B0089A533E3FADCD22CCE86B618637F4061397C9BB592','running',NULL,4,1794991308.402,1794991308.435,72,6,66,66,73,12,14,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-0","ad-1"],"i":0,"j":1,"estimated_reward":null,"interval":[0.0,1.0],"gap":0.9943429983321354,"epsilon":0.2,"delta":0.05,"phase":"refine","samples":11,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"health":[],"plan_version":4,"updated_at":"2026-11-18T08:41:48.432+00:00"}','"affd392dfe0089b09bf5230bff646157"','[]',0,1,'3f558f15205c75320cf61d6d',0,0.0,'{"notes":""}',72,'ee77aa620fa5dda88a15e6cbcae0f3f723ff2b1510e1a79aaa98b8d8c05bce29',1,'');
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, beats BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('562439b13fc74c39a2e2bbfdaa4a57ec',1794991308.392,1794991308.443,3);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
CREATE INDEX ix_impressions_late ON impressions (session_id, sequence) WHERE late_outcome IS NOT NULL;
COMMIT;
