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
INSERT INTO "audit" VALUES(1,1794978918.958,'open access','create','6a93aef0de2375c30f3c7e53','{"name":"frozen","items":4}');
CREATE TABLE bestpair_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT bestpair_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "bestpair_revision" VALUES('0005');
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
INSERT INTO "evidence" VALUES('6a93aef0de2375c30f3c7e53',0,1,2,11,4.0,0,0,4,1);
INSERT INTO "evidence" VALUES('6a93aef0de2375c30f3c7e53',0,2,1,5,3.0,0,0,2,0);
INSERT INTO "evidence" VALUES('6a93aef0de2375c30f3c7e53',0,3,1,7,5.0,0,0,2,0);
INSERT INTO "evidence" VALUES('6a93aef0de2375c30f3c7e53',1,2,1,2,1.0,0,0,4,2);
INSERT INTO "evidence" VALUES('6a93aef0de2375c30f3c7e53',1,2,3,33,21.0,0,0,4,3);
INSERT INTO "evidence" VALUES('6a93aef0de2375c30f3c7e53',1,3,1,4,3.0,0,0,2,0);
INSERT INTO "evidence" VALUES('6a93aef0de2375c30f3c7e53',2,3,1,4,2.0,0,0,2,0);
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
INSERT INTO "idempotency_keys" VALUES('6a93aef0de2375c30f3c7e53','next-pair/batch','key-0','digest','[["t1a1ed14b24d_KtCwRI2avqEkl_O3NHeTe50",1,3,"explore",true,1],["t1a1ed14b24duFSP0rellDuyzNkz5yKxsGJH",3,0,"explore",true,1],["t1a1ed14b24dA6-UE5DJfTpyBGidXhThv0U5",3,0,"explore",true,1],["t1a1ed14b24dbT-GAyG2y2fvoW-q6-5uVZwm",3,0,"explore",true,1],["t1a1ed14b24deI_a-EqcLuKvxBspe2C5AI4g",2,3,"explore",true,1],["t1a1ed14b24dUsG6uhubNrLFYvvKJM_3MTy2",2,0,"explore",true,1],["t1a1ed14b24dnsX_-QvkYaxO3OLcgIfcqxWI",0,2,"explore",true,1],["t1a1ed14b24dZT0HUNrH3q947IQ0osDdCTsa",2,1,"explore",true,1],["t1a1ed14b24dQqo3mKKk-ENTmP1xTz2FnneQ",3,0,"explore",true,1],["t1a1ed14b24dpviiA3gs_0JB3vZRFbhm2sn_",0,2,"explore",true,1],["t1a1ed14b24dFp90Ic8DIGcMaOY_i5QsieK3",3,1,"explore",true,1],["t1a1ed14b24d4CqqPSJVHpHNQBViRNBcBkKJ",2,1,"explore",true,1]]',1794978918.988);
INSERT INTO "idempotency_keys" VALUES('6a93aef0de2375c30f3c7e53','next-pair/batch','key-1','digest','[["t1a1ed14b26a7wdSnBVYToin-bE1zyGk8Xp5",1,3,"explore",true,1],["t1a1ed14b26ayTAOccEbJ81bx-sYMxecHKSz",2,3,"explore",true,1],["t1a1ed14b26aFYgpj2e0LIa82fM5CUOyKnqi",1,2,"explore",true,1],["t1a1ed14b26a4sTOFyk4yUjtsKMQSkGrzUOh",2,3,"explore",true,1],["t1a1ed14b26awWkbNG8dcQaMAOPsbyQGsSXF",1,3,"explore",true,1],["t1a1ed14b26a_b4c7ZRxF18POkQuiWKaEvJ-",0,3,"explore",true,1],["t1a1ed14b26agr7CjYlJjzjLnt0RQc43Y70v",0,3,"explore",true,1],["t1a1ed14b26ahGu4VsUFcnl2QbhRckky2ybR",0,3,"explore",true,1],["t1a1ed14b26aVgqpwJWYqVVjm3B3SxjE-IFS",2,3,"explore",true,1],["t1a1ed14b26aJ2SIcYpVVEU-hWH-dMgAburF",0,2,"explore",true,1],["t1a1ed14b26aZ90HgznyevP2QXGLlg2w76BR",0,2,"explore",true,1],["t1a1ed14b26a6ZjgX37zWNWFQnGGn1KBNpwk",2,1,"explore",true,1]]',1794978919.015);
INSERT INTO "idempotency_keys" VALUES('6a93aef0de2375c30f3c7e53','next-pair/batch','key-2','digest','[["t1a1ed14b2bfseWCiE0og0BBf1Mpc9gTOQ_H",0,1,"explore",true,2],["t1a1ed14b2bfbAHE1A7BHR_itYMz8ruUYwMP",0,1,"explore",true,2],["t1a1ed14b2bf71Au-toHSooYA0nsZhdXwZ07",0,1,"explore",true,2],["t1a1ed14b2bfc1-VD60yboICqTN-AzbvALqq",1,0,"explore",true,2],["t1a1ed14b2bfm2pr-5ANqo9WSB2HORTtsHxb",0,1,"explore",true,2],["t1a1ed14b2bfgBrCoepxQaGDxzr353UVHiSP",1,0,"explore",true,2],["t1a1ed14b2bf5stEUZlhbFq1xLaHhjVZLM7X",1,0,"explore",true,2],["t1a1ed14b2bfacOfah1kBxRIc1pvA_odkm3c",0,1,"explore",true,2],["t1a1ed14b2bfG9vUAaNiqqRF82eFziLzLECj",1,0,"explore",true,2],["t1a1ed14b2bf7sFF4e_POA-mZgoAtpNdOxW3",1,0,"explore",true,2],["t1a1ed14b2bfTS_m5aVts7P3Gpgb0awwXw_c",0,1,"explore",true,2],["t1a1ed14b2bfBZvwUyntba59VrxIulifMdQ9",0,1,"explore",true,2]]',1794978919.103);
INSERT INTO "idempotency_keys" VALUES('6a93aef0de2375c30f3c7e53','next-pair/batch','key-3','digest','[["t1a1ed14b2ccYAd2-vVMY3oxqOdOvmTVgAde",2,1,"explore",true,3],["t1a1ed14b2ccW32iPzql4k2Yz4ml0xLHKa-B",2,1,"explore",true,3],["t1a1ed14b2cc9jtR_9qZGP0TknvybtlSdvkY",2,1,"explore",true,3],["t1a1ed14b2ccA8VSLLJhf1LP2LyDodJ1s6ZX",1,2,"explore",true,3],["t1a1ed14b2ccRxbWYqkiYTWVjOBjmvtf6Boj",2,1,"explore",true,3],["t1a1ed14b2cc8eEbUi_VxI9O1Surekl4J8t_",2,1,"explore",true,3],["t1a1ed14b2cc3a5ERUX0hDOB5U9tDqumR81t",1,2,"explore",true,3],["t1a1ed14b2ccALK4dLbvn77tszoi4ggKWJw3",2,1,"explore",true,3],["t1a1ed14b2cc4goOIvlVoCnnTwvqbv8YdGJg",1,2,"explore",true,3],["t1a1ed14b2ccn49KvewV0iLMwN-gqpR-aZrp",1,2,"explore",true,3],["t1a1ed14b2cc-jSiyZ8Non9gY3Vta6dUyV4U",2,1,"explore",true,3],["t1a1ed14b2ccZE2VIdMLpQ2-TJteapnSYnC1",1,2,"explore",true,3]]',1794978919.115);
INSERT INTO "idempotency_keys" VALUES('6a93aef0de2375c30f3c7e53','next-pair/batch','key-4','digest','[["t1a1ed14b2d0YAB9SdENPocEhmK-q9WOtGcX",2,1,"explore",true,3],["t1a1ed14b2d06mHqw3YaQzy9PSb8xVKtzRM4",2,1,"explore",true,3],["t1a1ed14b2d0glTqXzbgyHdYy1-eWf4EdQUr",1,2,"explore",true,3],["t1a1ed14b2d0Z3Yq4sXLihiivvJ2qlghRzqT",2,1,"explore",true,3],["t1a1ed14b2d0RZTHavDqVmEqr4Ij22_NLwDZ",1,2,"explore",true,3],["t1a1ed14b2d0Y5lHdjkvnpUdZOC_LvkKanbb",2,1,"explore",true,3],["t1a1ed14b2d0f5UP4YbgtR3CtJTTWHAThZo_",1,2,"explore",true,3],["t1a1ed14b2d0JLWR84YvDpavDzjY4uaxqiRQ",1,2,"explore",true,3],["t1a1ed14b2d0VIyJdRwU5z_T9lszt2L8zvl7",1,2,"explore",true,3],["t1a1ed14b2d0gDgx3qswZd5RJ5i8vI53yZv3",1,2,"explore",true,3],["t1a1ed14b2d0c4C5p0wSvqS5aGsvC9G6R-YF",2,1,"explore",true,3],["t1a1ed14b2d0qH6TlLv8pHtj16die6NEU84a",1,2,"explore",true,3]]',1794978919.119);
INSERT INTO "idempotency_keys" VALUES('6a93aef0de2375c30f3c7e53','next-pair/batch','key-5','digest','[["t1a1ed14b2d3d5IZKNmsvFtrtlZI1oOnC1q8",2,1,"explore",true,3],["t1a1ed14b2d3pyvdgChTXWTB0ZKOORyGJEfq",2,1,"explore",true,3],["t1a1ed14b2d3JfaBsX0GP2yTwyUP2yKP7_zD",1,2,"explore",true,3],["t1a1ed14b2d3x2oXNkeHYMHwMAS5T1A28kgg",1,2,"explore",true,3],["t1a1ed14b2d3vRnt9pM3Ey_A5d3qWChUQJOB",2,1,"explore",true,3],["t1a1ed14b2d3sbxD2V5D1j_VfUfiTVDJR6sX",2,1,"explore",true,3],["t1a1ed14b2d3TSiuvTx8a-GsZUDjXwrbz0y6",2,1,"explore",true,3],["t1a1ed14b2d3B7FXmTDxfjQ8mEY-wiB5BqZz",2,1,"explore",true,3],["t1a1ed14b2d3qwGSKswzZzKSK-bCQlPsuAa2",1,2,"explore",true,3],["t1a1ed14b2d3_3l_wicNwGlC36oEkwOlZof6",1,2,"explore",true,3],["t1a1ed14b2d3HFItb1TbxhyGkls_Xe1vyYL2",1,2,"explore",true,3],["t1a1ed14b2d3hAa4FSlnzO98qWqM1h0qRZkY",1,2,"explore",true,3]]',1794978919.123);
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
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',1,'t1a1ed14b24d_KtCwRI2avqEkl_O3NHeTe50',1,3,'key-0','explore',1,1,1794978916.988,0.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',2,'t1a1ed14b24duFSP0rellDuyzNkz5yKxsGJH',3,0,'key-0','explore',1,1,1794978916.988,0.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',3,'t1a1ed14b24dA6-UE5DJfTpyBGidXhThv0U5',3,0,'key-0','explore',1,1,1794978916.988,0.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',4,'t1a1ed14b24dbT-GAyG2y2fvoW-q6-5uVZwm',3,0,'key-0','explore',1,1,1794978916.988,1.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',5,'t1a1ed14b24deI_a-EqcLuKvxBspe2C5AI4g',2,3,'key-0','explore',1,1,1794978916.988,1.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',6,'t1a1ed14b24dUsG6uhubNrLFYvvKJM_3MTy2',2,0,'key-0','explore',1,1,1794978916.988,0.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',7,'t1a1ed14b24dnsX_-QvkYaxO3OLcgIfcqxWI',0,2,'key-0','explore',1,1,1794978916.988,1.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',8,'t1a1ed14b24dZT0HUNrH3q947IQ0osDdCTsa',2,1,'key-0','explore',1,1,1794978916.988,1.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',9,'t1a1ed14b24dQqo3mKKk-ENTmP1xTz2FnneQ',3,0,'key-0','explore',1,1,1794978916.988,0.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',10,'t1a1ed14b24dpviiA3gs_0JB3vZRFbhm2sn_',0,2,'key-0','explore',1,1,1794978916.988,1.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',11,'t1a1ed14b24dFp90Ic8DIGcMaOY_i5QsieK3',3,1,'key-0','explore',1,1,1794978916.988,0.0,NULL,1794978918.994,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',12,'t1a1ed14b24d4CqqPSJVHpHNQBViRNBcBkKJ',2,1,'key-0','explore',1,1,1794978916.988,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',13,'t1a1ed14b26a7wdSnBVYToin-bE1zyGk8Xp5',1,3,'key-1','explore',1,1,1794978917.015,0.0,NULL,1794978919.02,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',14,'t1a1ed14b26ayTAOccEbJ81bx-sYMxecHKSz',2,3,'key-1','explore',1,1,1794978917.015,0.0,NULL,1794978919.02,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',15,'t1a1ed14b26aFYgpj2e0LIa82fM5CUOyKnqi',1,2,'key-1','explore',1,1,1794978917.015,0.0,NULL,1794978919.02,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',16,'t1a1ed14b26a4sTOFyk4yUjtsKMQSkGrzUOh',2,3,'key-1','explore',1,1,1794978917.015,1.0,NULL,1794978919.022,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',17,'t1a1ed14b26awWkbNG8dcQaMAOPsbyQGsSXF',1,3,'key-1','explore',1,1,1794978917.015,1.0,NULL,1794978919.022,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',18,'t1a1ed14b26a_b4c7ZRxF18POkQuiWKaEvJ-',0,3,'key-1','explore',1,1,1794978917.015,1.0,NULL,1794978919.022,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',19,'t1a1ed14b26agr7CjYlJjzjLnt0RQc43Y70v',0,3,'key-1','explore',1,1,1794978917.015,0.0,NULL,1794978919.02,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',20,'t1a1ed14b26ahGu4VsUFcnl2QbhRckky2ybR',0,3,'key-1','explore',1,1,1794978917.015,0.0,NULL,1794978919.02,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',21,'t1a1ed14b26aVgqpwJWYqVVjm3B3SxjE-IFS',2,3,'key-1','explore',1,1,1794978917.015,0.0,NULL,1794978919.02,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',22,'t1a1ed14b26aJ2SIcYpVVEU-hWH-dMgAburF',0,2,'key-1','explore',1,1,1794978917.015,0.0,NULL,1794978919.02,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',23,'t1a1ed14b26aZ90HgznyevP2QXGLlg2w76BR',0,2,'key-1','explore',1,1,1794978917.015,0.0,NULL,1794978919.02,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',24,'t1a1ed14b26a6ZjgX37zWNWFQnGGn1KBNpwk',2,1,'key-1','explore',1,1,1794978917.015,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',25,'t1a1ed14b2bfseWCiE0og0BBf1Mpc9gTOQ_H',0,1,'key-2','explore',1,2,1794978917.103,0.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',26,'t1a1ed14b2bfbAHE1A7BHR_itYMz8ruUYwMP',0,1,'key-2','explore',1,2,1794978917.103,1.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',27,'t1a1ed14b2bf71Au-toHSooYA0nsZhdXwZ07',0,1,'key-2','explore',1,2,1794978917.103,0.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',28,'t1a1ed14b2bfc1-VD60yboICqTN-AzbvALqq',1,0,'key-2','explore',1,2,1794978917.103,1.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',29,'t1a1ed14b2bfm2pr-5ANqo9WSB2HORTtsHxb',0,1,'key-2','explore',1,2,1794978917.103,1.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',30,'t1a1ed14b2bfgBrCoepxQaGDxzr353UVHiSP',1,0,'key-2','explore',1,2,1794978917.103,0.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',31,'t1a1ed14b2bf5stEUZlhbFq1xLaHhjVZLM7X',1,0,'key-2','explore',1,2,1794978917.103,1.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',32,'t1a1ed14b2bfacOfah1kBxRIc1pvA_odkm3c',0,1,'key-2','explore',1,2,1794978917.103,1.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',33,'t1a1ed14b2bfG9vUAaNiqqRF82eFziLzLECj',1,0,'key-2','explore',1,2,1794978917.103,0.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',34,'t1a1ed14b2bf7sFF4e_POA-mZgoAtpNdOxW3',1,0,'key-2','explore',1,2,1794978917.103,1.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',35,'t1a1ed14b2bfTS_m5aVts7P3Gpgb0awwXw_c',0,1,'key-2','explore',1,2,1794978917.103,1.0,NULL,1794978919.104,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',36,'t1a1ed14b2bfBZvwUyntba59VrxIulifMdQ9',0,1,'key-2','explore',1,2,1794978917.103,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',37,'t1a1ed14b2ccYAd2-vVMY3oxqOdOvmTVgAde',2,1,'key-3','explore',1,3,1794978917.115,0.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',38,'t1a1ed14b2ccW32iPzql4k2Yz4ml0xLHKa-B',2,1,'key-3','explore',1,3,1794978917.115,1.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',39,'t1a1ed14b2cc9jtR_9qZGP0TknvybtlSdvkY',2,1,'key-3','explore',1,3,1794978917.115,0.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',40,'t1a1ed14b2ccA8VSLLJhf1LP2LyDodJ1s6ZX',1,2,'key-3','explore',1,3,1794978917.115,0.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',41,'t1a1ed14b2ccRxbWYqkiYTWVjOBjmvtf6Boj',2,1,'key-3','explore',1,3,1794978917.115,1.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',42,'t1a1ed14b2cc8eEbUi_VxI9O1Surekl4J8t_',2,1,'key-3','explore',1,3,1794978917.115,0.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',43,'t1a1ed14b2cc3a5ERUX0hDOB5U9tDqumR81t',1,2,'key-3','explore',1,3,1794978917.115,0.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',44,'t1a1ed14b2ccALK4dLbvn77tszoi4ggKWJw3',2,1,'key-3','explore',1,3,1794978917.115,1.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',45,'t1a1ed14b2cc4goOIvlVoCnnTwvqbv8YdGJg',1,2,'key-3','explore',1,3,1794978917.115,1.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',46,'t1a1ed14b2ccn49KvewV0iLMwN-gqpR-aZrp',1,2,'key-3','explore',1,3,1794978917.115,0.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',47,'t1a1ed14b2cc-jSiyZ8Non9gY3Vta6dUyV4U',2,1,'key-3','explore',1,3,1794978917.115,1.0,NULL,1794978919.117,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',48,'t1a1ed14b2ccZE2VIdMLpQ2-TJteapnSYnC1',1,2,'key-3','explore',1,3,1794978917.115,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',49,'t1a1ed14b2d0YAB9SdENPocEhmK-q9WOtGcX',2,1,'key-4','explore',1,3,1794978917.119,1.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',50,'t1a1ed14b2d06mHqw3YaQzy9PSb8xVKtzRM4',2,1,'key-4','explore',1,3,1794978917.119,0.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',51,'t1a1ed14b2d0glTqXzbgyHdYy1-eWf4EdQUr',1,2,'key-4','explore',1,3,1794978917.119,0.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',52,'t1a1ed14b2d0Z3Yq4sXLihiivvJ2qlghRzqT',2,1,'key-4','explore',1,3,1794978917.119,1.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',53,'t1a1ed14b2d0RZTHavDqVmEqr4Ij22_NLwDZ',1,2,'key-4','explore',1,3,1794978917.119,1.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',54,'t1a1ed14b2d0Y5lHdjkvnpUdZOC_LvkKanbb',2,1,'key-4','explore',1,3,1794978917.119,0.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',55,'t1a1ed14b2d0f5UP4YbgtR3CtJTTWHAThZo_',1,2,'key-4','explore',1,3,1794978917.119,0.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',56,'t1a1ed14b2d0JLWR84YvDpavDzjY4uaxqiRQ',1,2,'key-4','explore',1,3,1794978917.119,1.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',57,'t1a1ed14b2d0VIyJdRwU5z_T9lszt2L8zvl7',1,2,'key-4','explore',1,3,1794978917.119,0.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',58,'t1a1ed14b2d0gDgx3qswZd5RJ5i8vI53yZv3',1,2,'key-4','explore',1,3,1794978917.119,0.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',59,'t1a1ed14b2d0c4C5p0wSvqS5aGsvC9G6R-YF',2,1,'key-4','explore',1,3,1794978917.119,0.0,NULL,1794978919.121,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',60,'t1a1ed14b2d0qH6TlLv8pHtj16die6NEU84a',1,2,'key-4','explore',1,3,1794978917.119,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',61,'t1a1ed14b2d3d5IZKNmsvFtrtlZI1oOnC1q8',2,1,'key-5','explore',1,3,1794978917.123,0.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',62,'t1a1ed14b2d3pyvdgChTXWTB0ZKOORyGJEfq',2,1,'key-5','explore',1,3,1794978917.123,0.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',63,'t1a1ed14b2d3JfaBsX0GP2yTwyUP2yKP7_zD',1,2,'key-5','explore',1,3,1794978917.123,0.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',64,'t1a1ed14b2d3x2oXNkeHYMHwMAS5T1A28kgg',1,2,'key-5','explore',1,3,1794978917.123,1.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',65,'t1a1ed14b2d3vRnt9pM3Ey_A5d3qWChUQJOB',2,1,'key-5','explore',1,3,1794978917.123,0.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',66,'t1a1ed14b2d3sbxD2V5D1j_VfUfiTVDJR6sX',2,1,'key-5','explore',1,3,1794978917.123,1.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',67,'t1a1ed14b2d3TSiuvTx8a-GsZUDjXwrbz0y6',2,1,'key-5','explore',1,3,1794978917.123,0.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',68,'t1a1ed14b2d3B7FXmTDxfjQ8mEY-wiB5BqZz',2,1,'key-5','explore',1,3,1794978917.123,0.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',69,'t1a1ed14b2d3qwGSKswzZzKSK-bCQlPsuAa2',1,2,'key-5','explore',1,3,1794978917.123,0.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',70,'t1a1ed14b2d3_3l_wicNwGlC36oEkwOlZof6',1,2,'key-5','explore',1,3,1794978917.123,1.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',71,'t1a1ed14b2d3HFItb1TbxhyGkls_Xe1vyYL2',1,2,'key-5','explore',1,3,1794978917.123,0.0,NULL,1794978919.127,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('6a93aef0de2375c30f3c7e53',72,'t1a1ed14b2d3hAa4FSlnzO98qWqM1h0qRZkY',1,2,'key-5','explore',1,3,1794978917.123,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
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
	created_at DOUBLE NOT NULL, id TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_plans PRIMARY KEY (session_id, version), 
	CONSTRAINT fk_plans_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "plans" VALUES('6a93aef0de2375c30f3c7e53',1,0,'[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,2,null,0.0,1.0,0],[0,3,null,0.0,1.0,0],[1,2,null,0.0,1.0,0],[1,3,null,0.0,1.0,0],[2,3,null,0.0,1.0,0]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":1,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',0,1794978918.958,'06f814ff680205c4673564a2');
INSERT INTO "plans" VALUES('6a93aef0de2375c30f3c7e53',2,2,'[[0,1,4],[1,2,3]]','[[0,1,4]]','{"pair":[2,3],"verdict":"not_yet","gap":0.9955608768028266,"estimated_reward":0.5,"interval":[0.014176395035571221,0.9858236049644288],"phase":"explore","samples":21,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,1,null,0.0,1.0,0],[1,2,1.0,0.004166666666662544,1.0,1],[0,2,0.4,0.010032721613631113,0.9524286986131356,5],[1,3,0.25,0.0003258392431972901,0.9295132087095768,4],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":2,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',21,1794978919.1,'3edf7e67a99dccd9eb3c6995');
INSERT INTO "plans" VALUES('6a93aef0de2375c30f3c7e53',3,3,'[[1,2,3]]','[[1,2,3]]','{"pair":[0,1],"verdict":"not_yet","gap":0.887118328557179,"estimated_reward":0.6363636363636364,"interval":[0.16204248291589618,0.9629520301796048],"phase":"explore","samples":32,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[1,2,1.0,0.004166666666662544,1.0,1],[2,3,0.5,0.014176395035571221,0.9858236049644288,4],[0,2,0.4,0.010032721613631113,0.9524286986131356,5],[1,3,0.25,0.0003258392431972901,0.9295132087095768,4],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":3,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',32,1794978919.113,'b284490da9a8a50a4b09b7a9');
INSERT INTO "plans" VALUES('6a93aef0de2375c30f3c7e53',4,4,'[[0,1,3],[0,2,5],[1,3,4],[2,3,4]]','[[0,1,3],[0,2,5],[1,3,4],[2,3,4]]','{"pair":[0,1],"verdict":"not_yet","gap":0.8535130619730912,"estimated_reward":0.6363636363636364,"interval":[0.16204248291589618,0.9629520301796048],"phase":"refine","samples":66,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[2,3,0.5,0.014176395035571221,0.9858236049644288,4],[0,2,0.4,0.010032721613631113,0.9524286986131356,5],[1,3,0.25,0.0003258392431972901,0.9295132087095768,4],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7],[1,2,0.37142857142857144,0.12604692593083477,0.6760775446902691,35]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":4,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',66,1794978919.205,'112189aae3964e18ea6baba8');
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('6a93aef0de2375c30f3c7e53','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
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
	best_j INTEGER NOT NULL, plan_id TEXT DEFAULT '' NOT NULL, open_at_clock_step BIGINT DEFAULT 0 NOT NULL, clock_step_at DOUBLE DEFAULT 0 NOT NULL, editable_settings TEXT DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id)
);
INSERT INTO "sessions" VALUES('6a93aef0de2375c30f3c7e53','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'F94E09BCBEAE2D15AEE8BC21FF7E00599D11FD24DE22047821A24E13812D5986','running',NULL,4,4,1794978918.958,1794978919.205,72,6,66,66,73,0,16,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-0","ad-1"],"i":0,"j":1,"estimated_reward":0.6363636363636364,"interval":[0.16204248291589618,0.9629520301796048],"gap":0.8535130619730912,"epsilon":0.2,"delta":0.05,"phase":"refine","samples":66,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"health":[],"plan_version":4,"updated_at":"2026-11-18T05:15:19.196+00:00"}','"0ef50602a10a9e09df825aded9ec0cbc"','[]',0,1,'112189aae3964e18ea6baba8',0,0.0,'{}');
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, beats BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('34603f7811724bf6b19ba0d85fd2c742',1794978918.949,1794978919.212,6);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_impressions_open ON impressions (session_id, sequence) WHERE epoch IS NULL;
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
COMMIT;
