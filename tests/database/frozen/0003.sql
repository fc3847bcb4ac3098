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
INSERT INTO "audit" VALUES(1,1794840471.102,'open access','create','94af00f1a18e302bbecb68b1','{"name":"frozen","items":4}');
CREATE TABLE bestpair_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT bestpair_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "bestpair_revision" VALUES('0003');
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
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',0,1,2,11,8.0,0,0,7,1);
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',0,2,1,5,3.0,0,0,2,0);
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',0,2,3,9,5.0,0,0,7,1);
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',0,2,4,4,3.0,0,0,7,1);
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',0,3,1,7,5.0,0,0,2,0);
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',0,3,4,7,6.0,0,0,6,0);
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',1,2,1,2,1.0,0,0,7,2);
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',1,3,1,4,3.0,0,0,2,0);
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',1,3,3,8,6.0,0,0,5,0);
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',2,3,1,4,3.0,0,0,2,0);
INSERT INTO "evidence" VALUES('94af00f1a18e302bbecb68b1',2,3,3,5,5.0,0,0,7,1);
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
INSERT INTO "idempotency_keys" VALUES('94af00f1a18e302bbecb68b1','next-pair/batch','key-0','digest','[["t1a1e4d42682OZUBxB7yguxGzbC2bykOmD68",1,3,"explore",true,1],["t1a1e4d42682_6-RJn0EIhYr45ta4oaVrRyr",0,3,"explore",true,1],["t1a1e4d42682kqXeHUGebSCvbf7l5TPeBPcz",3,0,"explore",true,1],["t1a1e4d42682zF2kOwFYcc4tuoZQAPqCQ3SL",0,3,"explore",true,1],["t1a1e4d42682KMn0BQP7VZorvNoVNkDFoPJK",3,2,"explore",true,1],["t1a1e4d42682Xre5h0nWFsQmTpcXguDt_-QP",2,0,"explore",true,1],["t1a1e4d42682zhvuac9BeE6QV7olmKRx1qUl",0,2,"explore",true,1],["t1a1e4d42682PlICpLKNDxDxtmFMqxXyJ5LI",2,1,"explore",true,1],["t1a1e4d42682UWRefans9pxFAGpR9AkCinY6",3,0,"explore",true,1],["t1a1e4d42682_1Cep0Xw-jw4nO6vnNHRfJYy",2,0,"explore",true,1],["t1a1e4d42682fSILXRaCrjGHHMtRm-pwAEOD",3,1,"explore",true,1],["t1a1e4d42682nH05wHF1TrlSm_GTmxbKcCz8",1,2,"explore",true,1]]',1794840471.167);
INSERT INTO "idempotency_keys" VALUES('94af00f1a18e302bbecb68b1','next-pair/batch','key-1','digest','[["t1a1e4d426bcBTUWi9q0gMMNAPjRj2jnl7u0",1,3,"explore",true,1],["t1a1e4d426bcYcD7pk_MFohB3Yuf-PxApJJD",3,2,"explore",true,1],["t1a1e4d426bch0laIrwd1R2rc8xmM1U4F9Fa",1,2,"explore",true,1],["t1a1e4d426bcJb2e_jVh_wwfBDxJSEwZfNmO",3,2,"explore",true,1],["t1a1e4d426bcVBckOMhyzLxHlvUNPcBjWmQQ",1,3,"explore",true,1],["t1a1e4d426bcmidp2POTjlfx-f1RtxI8dNdg",3,0,"explore",true,1],["t1a1e4d426bcYwjSOB-ROpHTEXmhwllOBe9h",0,3,"explore",true,1],["t1a1e4d426bcJOsp5cqyns2fnelToMrX19Mv",3,0,"explore",true,1],["t1a1e4d426bcW4UALd1yYThQBhtDSYY_cPYo",3,2,"explore",true,1],["t1a1e4d426bcdaMrQqSSNerbPC7R0kNFqzQd",2,0,"explore",true,1],["t1a1e4d426bcBIexaGkwmWFQzHMqSv4KqQZX",0,2,"explore",true,1],["t1a1e4d426bcvg9FHdjtrzeJpak2pIbj-Lz8",2,1,"explore",true,1]]',1794840471.224);
INSERT INTO "idempotency_keys" VALUES('94af00f1a18e302bbecb68b1','next-pair/batch','key-2','digest','[["t1a1e4d426e8ZEqZCkGu8HY2jResNDwYvSOF",1,0,"explore",true,2],["t1a1e4d426e8ZAKztEcvSozJIIpPmqEn2kXB",0,1,"explore",true,2],["t1a1e4d426e8tJ0l5PIbiGutVsJPimGVrieq",0,1,"explore",true,2],["t1a1e4d426e8vww8RblPja0XTWyDr7BKDozE",1,0,"explore",true,2],["t1a1e4d426e8ElEyjWw8WGVye3u8iL0nS70E",1,0,"explore",true,2],["t1a1e4d426e8jgJ6NQEMt1bBZQQjOoyLX3P-",1,0,"explore",true,2],["t1a1e4d426e8NIh-qWNmPDu0VffGoswFViB6",0,1,"explore",true,2],["t1a1e4d426e8YHyDzYNuNIgo4KN5qElJqmEe",1,0,"explore",true,2],["t1a1e4d426e8NsJI9E2--5APwslqAg7Vw332",0,1,"explore",true,2],["t1a1e4d426e80gOMIr2vB7UzM9lc3LqfTkmi",0,1,"explore",true,2],["t1a1e4d426e8IHdNf-Wgf3kK4rqVZFy1yOyk",1,0,"explore",true,2],["t1a1e4d426e8lc5NU9vmUp5qz66TV6IkNeF_",1,0,"explore",true,2]]',1794840471.27);
INSERT INTO "idempotency_keys" VALUES('94af00f1a18e302bbecb68b1','next-pair/batch','key-3','digest','[["t1a1e4d42732c__GNBedLkrOBLco73sLW9IS",0,2,"explore",true,3],["t1a1e4d42732tUUiYvkK-BsvN7eUNLM7HsRU",3,1,"explore",true,3],["t1a1e4d42732sVM05jNwZRQBv_kTC6qZsm7I",3,2,"explore",true,3],["t1a1e4d42732xEaMPTrFAEEutL2qsN5v7LZP",2,3,"explore",true,3],["t1a1e4d42732nU2p7nFrGE0xb5u1V_8aTJgf",1,3,"explore",true,3],["t1a1e4d42732NVv_StkwgxhCBh9s4zjlWgBI",2,0,"explore",true,3],["t1a1e4d42732j8AJZusMWEqfEmOH8XLlL-F5",3,1,"explore",true,3],["t1a1e4d42732I5alR3n89r_8Uqyu8B4GSuAF",1,3,"explore",true,3],["t1a1e4d42732vfoy4daMAh9bFfMZJA65Vso6",2,0,"explore",true,3],["t1a1e4d427326vlyR0TkRA-i6p_YmLpHeRPb",0,2,"explore",true,3],["t1a1e4d42732WmTOe6JWHe0krycD-2ehZjxH",2,0,"explore",true,3],["t1a1e4d427327TAhGzBguZRkQ1IhSeLBR_su",2,3,"explore",true,3]]',1794840471.339);
INSERT INTO "idempotency_keys" VALUES('94af00f1a18e302bbecb68b1','next-pair/batch','key-4','digest','[["t1a1e4d4277096UYNVKEWTDXpHIVyNMlUkzj",3,2,"explore",true,3],["t1a1e4d427707-lOAkAjWbMygD8JaFlbo-Ru",0,2,"explore",true,3],["t1a1e4d42770qt_54tq06ewgyQWTK0Dmwrjl",3,1,"explore",true,3],["t1a1e4d42770PC8JwgDy3tkTmIFw0GrfhQpg",3,2,"explore",true,3],["t1a1e4d42770iQyzswti1cYSXmoOdc-WhWtq",3,2,"explore",true,3],["t1a1e4d42770S9dsATPwghfaTkUvLU3V1jgE",1,3,"explore",true,3],["t1a1e4d42770_063vuBGfh_naLlQ-LK203_s",2,0,"explore",true,3],["t1a1e4d42770Oug3mXroLtzDUqqd5WPUa4Av",3,1,"explore",true,3],["t1a1e4d42770qJbdpnN9alU-5UzUlZn8YJLH",1,3,"explore",true,3],["t1a1e4d42770u9rVf7YgsQEEN_2mD0z9MyHL",0,2,"explore",true,3],["t1a1e4d42770LqdWDmvRE2bW0-8QCSDoCnnT",0,2,"explore",true,3],["t1a1e4d427708-BKKPhlh855YlpT-4uWEB_j",0,2,"explore",true,3]]',1794840471.408);
INSERT INTO "idempotency_keys" VALUES('94af00f1a18e302bbecb68b1','next-pair/batch','key-5','digest','[["t1a1e4d4279fMlaRsZ3eJu7OAutY_9QI6g3q",0,3,"explore",true,4],["t1a1e4d4279fUAQZLheMWKc8SqBjPvsuLKzV",0,3,"explore",true,4],["t1a1e4d4279fML6br5trICVEBodzP2HZXBQx",0,2,"explore",true,4],["t1a1e4d4279fROMChtqScm73gHCUa0u2fERz",3,0,"explore",true,4],["t1a1e4d4279fe-7UAynQ5DQmKrTJkpgaSAbn",0,2,"explore",true,4],["t1a1e4d4279fV5aoeMmiVOZYwnxuPgPeG0_E",0,3,"explore",true,4],["t1a1e4d4279fxpfRwunF4G4xBoZ5-x7uef1v",3,0,"explore",true,4],["t1a1e4d4279fn7VhzIzDSefYwPpszrHCsGEX",2,0,"explore",true,4],["t1a1e4d4279fQKwEKmFg_Pm02TXpTvQbj7Pr",0,3,"explore",true,4],["t1a1e4d4279fn7MRM9Po0jvMnJVw2y-qgk1-",3,0,"explore",true,4],["t1a1e4d4279fia9So0aj_QnkU16MIWqHeMr4",2,0,"explore",true,4],["t1a1e4d4279fDuHWSauut3ldMo9DojoCilR2",0,2,"explore",true,4]]',1794840471.454);
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
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',1,'t1a1e4d42682OZUBxB7yguxGzbC2bykOmD68',1,3,'key-0','explore',1,1,1794840469.167,0.0,NULL,1794840471.179,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',2,'t1a1e4d42682_6-RJn0EIhYr45ta4oaVrRyr',0,3,'key-0','explore',1,1,1794840469.167,0.0,NULL,1794840471.179,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',3,'t1a1e4d42682kqXeHUGebSCvbf7l5TPeBPcz',3,0,'key-0','explore',1,1,1794840469.167,0.0,NULL,1794840471.179,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',4,'t1a1e4d42682zF2kOwFYcc4tuoZQAPqCQ3SL',0,3,'key-0','explore',1,1,1794840469.167,1.0,NULL,1794840471.182,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',5,'t1a1e4d42682KMn0BQP7VZorvNoVNkDFoPJK',3,2,'key-0','explore',1,1,1794840469.167,0.0,NULL,1794840471.179,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',6,'t1a1e4d42682Xre5h0nWFsQmTpcXguDt_-QP',2,0,'key-0','explore',1,1,1794840469.167,0.0,NULL,1794840471.179,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',7,'t1a1e4d42682zhvuac9BeE6QV7olmKRx1qUl',0,2,'key-0','explore',1,1,1794840469.167,1.0,NULL,1794840471.182,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',8,'t1a1e4d42682PlICpLKNDxDxtmFMqxXyJ5LI',2,1,'key-0','explore',1,1,1794840469.167,1.0,NULL,1794840471.182,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',9,'t1a1e4d42682UWRefans9pxFAGpR9AkCinY6',3,0,'key-0','explore',1,1,1794840469.167,0.0,NULL,1794840471.179,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',10,'t1a1e4d42682_1Cep0Xw-jw4nO6vnNHRfJYy',2,0,'key-0','explore',1,1,1794840469.167,0.0,NULL,1794840471.179,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',11,'t1a1e4d42682fSILXRaCrjGHHMtRm-pwAEOD',3,1,'key-0','explore',1,1,1794840469.167,0.0,NULL,1794840471.179,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',12,'t1a1e4d42682nH05wHF1TrlSm_GTmxbKcCz8',1,2,'key-0','explore',1,1,1794840469.167,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',13,'t1a1e4d426bcBTUWi9q0gMMNAPjRj2jnl7u0',1,3,'key-1','explore',1,1,1794840469.224,0.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',14,'t1a1e4d426bcYcD7pk_MFohB3Yuf-PxApJJD',3,2,'key-1','explore',1,1,1794840469.224,0.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',15,'t1a1e4d426bch0laIrwd1R2rc8xmM1U4F9Fa',1,2,'key-1','explore',1,1,1794840469.224,0.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',16,'t1a1e4d426bcJb2e_jVh_wwfBDxJSEwZfNmO',3,2,'key-1','explore',1,1,1794840469.224,0.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',17,'t1a1e4d426bcVBckOMhyzLxHlvUNPcBjWmQQ',1,3,'key-1','explore',1,1,1794840469.224,1.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',18,'t1a1e4d426bcmidp2POTjlfx-f1RtxI8dNdg',3,0,'key-1','explore',1,1,1794840469.224,1.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',19,'t1a1e4d426bcYwjSOB-ROpHTEXmhwllOBe9h',0,3,'key-1','explore',1,1,1794840469.224,0.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',20,'t1a1e4d426bcJOsp5cqyns2fnelToMrX19Mv',3,0,'key-1','explore',1,1,1794840469.224,0.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',21,'t1a1e4d426bcW4UALd1yYThQBhtDSYY_cPYo',3,2,'key-1','explore',1,1,1794840469.224,1.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',22,'t1a1e4d426bcdaMrQqSSNerbPC7R0kNFqzQd',2,0,'key-1','explore',1,1,1794840469.224,1.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',23,'t1a1e4d426bcBIexaGkwmWFQzHMqSv4KqQZX',0,2,'key-1','explore',1,1,1794840469.224,0.0,NULL,1794840471.234,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',24,'t1a1e4d426bcvg9FHdjtrzeJpak2pIbj-Lz8',2,1,'key-1','explore',1,1,1794840469.224,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',25,'t1a1e4d426e8ZEqZCkGu8HY2jResNDwYvSOF',1,0,'key-2','explore',1,2,1794840469.27,1.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',26,'t1a1e4d426e8ZAKztEcvSozJIIpPmqEn2kXB',0,1,'key-2','explore',1,2,1794840469.27,1.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',27,'t1a1e4d426e8tJ0l5PIbiGutVsJPimGVrieq',0,1,'key-2','explore',1,2,1794840469.27,0.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',28,'t1a1e4d426e8vww8RblPja0XTWyDr7BKDozE',1,0,'key-2','explore',1,2,1794840469.27,1.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',29,'t1a1e4d426e8ElEyjWw8WGVye3u8iL0nS70E',1,0,'key-2','explore',1,2,1794840469.27,0.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',30,'t1a1e4d426e8jgJ6NQEMt1bBZQQjOoyLX3P-',1,0,'key-2','explore',1,2,1794840469.27,0.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',31,'t1a1e4d426e8NIh-qWNmPDu0VffGoswFViB6',0,1,'key-2','explore',1,2,1794840469.27,0.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',32,'t1a1e4d426e8YHyDzYNuNIgo4KN5qElJqmEe',1,0,'key-2','explore',1,2,1794840469.27,0.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',33,'t1a1e4d426e8NsJI9E2--5APwslqAg7Vw332',0,1,'key-2','explore',1,2,1794840469.27,0.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',34,'t1a1e4d426e80gOMIr2vB7UzM9lc3LqfTkmi',0,1,'key-2','explore',1,2,1794840469.27,0.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',35,'t1a1e4d426e8IHdNf-Wgf3kK4rqVZFy1yOyk',1,0,'key-2','explore',1,2,1794840469.27,0.0,NULL,1794840471.282,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',36,'t1a1e4d426e8lc5NU9vmUp5qz66TV6IkNeF_',1,0,'key-2','explore',1,2,1794840469.27,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',37,'t1a1e4d42732c__GNBedLkrOBLco73sLW9IS',0,2,'key-3','explore',1,3,1794840469.339,1.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',38,'t1a1e4d42732tUUiYvkK-BsvN7eUNLM7HsRU',3,1,'key-3','explore',1,3,1794840469.339,0.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',39,'t1a1e4d42732sVM05jNwZRQBv_kTC6qZsm7I',3,2,'key-3','explore',1,3,1794840469.339,0.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',40,'t1a1e4d42732xEaMPTrFAEEutL2qsN5v7LZP',2,3,'key-3','explore',1,3,1794840469.339,0.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',41,'t1a1e4d42732nU2p7nFrGE0xb5u1V_8aTJgf',1,3,'key-3','explore',1,3,1794840469.339,0.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',42,'t1a1e4d42732NVv_StkwgxhCBh9s4zjlWgBI',2,0,'key-3','explore',1,3,1794840469.339,0.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',43,'t1a1e4d42732j8AJZusMWEqfEmOH8XLlL-F5',3,1,'key-3','explore',1,3,1794840469.339,1.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',44,'t1a1e4d42732I5alR3n89r_8Uqyu8B4GSuAF',1,3,'key-3','explore',1,3,1794840469.339,0.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',45,'t1a1e4d42732vfoy4daMAh9bFfMZJA65Vso6',2,0,'key-3','explore',1,3,1794840469.339,0.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',46,'t1a1e4d427326vlyR0TkRA-i6p_YmLpHeRPb',0,2,'key-3','explore',1,3,1794840469.339,1.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',47,'t1a1e4d42732WmTOe6JWHe0krycD-2ehZjxH',2,0,'key-3','explore',1,3,1794840469.339,1.0,NULL,1794840471.391,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',48,'t1a1e4d427327TAhGzBguZRkQ1IhSeLBR_su',2,3,'key-3','explore',1,3,1794840469.339,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',49,'t1a1e4d4277096UYNVKEWTDXpHIVyNMlUkzj',3,2,'key-4','explore',1,3,1794840469.408,0.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',50,'t1a1e4d427707-lOAkAjWbMygD8JaFlbo-Ru',0,2,'key-4','explore',1,3,1794840469.408,0.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',51,'t1a1e4d42770qt_54tq06ewgyQWTK0Dmwrjl',3,1,'key-4','explore',1,3,1794840469.408,1.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',52,'t1a1e4d42770PC8JwgDy3tkTmIFw0GrfhQpg',3,2,'key-4','explore',1,3,1794840469.408,0.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',53,'t1a1e4d42770iQyzswti1cYSXmoOdc-WhWtq',3,2,'key-4','explore',1,3,1794840469.408,0.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',54,'t1a1e4d42770S9dsATPwghfaTkUvLU3V1jgE',1,3,'key-4','explore',1,3,1794840469.408,0.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',55,'t1a1e4d42770_063vuBGfh_naLlQ-LK203_s',2,0,'key-4','explore',1,3,1794840469.408,1.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',56,'t1a1e4d42770Oug3mXroLtzDUqqd5WPUa4Av',3,1,'key-4','explore',1,3,1794840469.408,0.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',57,'t1a1e4d42770qJbdpnN9alU-5UzUlZn8YJLH',1,3,'key-4','explore',1,3,1794840469.408,0.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',58,'t1a1e4d42770u9rVf7YgsQEEN_2mD0z9MyHL',0,2,'key-4','explore',1,3,1794840469.408,0.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',59,'t1a1e4d42770LqdWDmvRE2bW0-8QCSDoCnnT',0,2,'key-4','explore',1,3,1794840469.408,0.0,NULL,1794840471.422,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',60,'t1a1e4d427708-BKKPhlh855YlpT-4uWEB_j',0,2,'key-4','explore',1,3,1794840469.408,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',61,'t1a1e4d4279fMlaRsZ3eJu7OAutY_9QI6g3q',0,3,'key-5','explore',1,4,1794840469.454,0.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',62,'t1a1e4d4279fUAQZLheMWKc8SqBjPvsuLKzV',0,3,'key-5','explore',1,4,1794840469.454,1.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',63,'t1a1e4d4279fML6br5trICVEBodzP2HZXBQx',0,2,'key-5','explore',1,4,1794840469.454,0.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',64,'t1a1e4d4279fROMChtqScm73gHCUa0u2fERz',3,0,'key-5','explore',1,4,1794840469.454,0.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',65,'t1a1e4d4279fe-7UAynQ5DQmKrTJkpgaSAbn',0,2,'key-5','explore',1,4,1794840469.454,1.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',66,'t1a1e4d4279fV5aoeMmiVOZYwnxuPgPeG0_E',0,3,'key-5','explore',1,4,1794840469.454,0.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',67,'t1a1e4d4279fxpfRwunF4G4xBoZ5-x7uef1v',3,0,'key-5','explore',1,4,1794840469.454,0.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',68,'t1a1e4d4279fn7VhzIzDSefYwPpszrHCsGEX',2,0,'key-5','explore',1,4,1794840469.454,0.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',69,'t1a1e4d4279fQKwEKmFg_Pm02TXpTvQbj7Pr',0,3,'key-5','explore',1,4,1794840469.454,0.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',70,'t1a1e4d4279fn7MRM9Po0jvMnJVw2y-qgk1-',3,0,'key-5','explore',1,4,1794840469.454,0.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',71,'t1a1e4d4279fia9So0aj_QnkU16MIWqHeMr4',2,0,'key-5','explore',1,4,1794840469.454,0.0,NULL,1794840471.457,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('94af00f1a18e302bbecb68b1',72,'t1a1e4d4279fDuHWSauut3ldMo9DojoCilR2',0,2,'key-5','explore',1,4,1794840469.454,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
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
	created_at DOUBLE NOT NULL, 
	CONSTRAINT pk_plans PRIMARY KEY (session_id, version), 
	CONSTRAINT fk_plans_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "plans" VALUES('94af00f1a18e302bbecb68b1',1,0,'[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,2,null,0.0,1.0,0],[0,3,null,0.0,1.0,0],[1,2,null,0.0,1.0,0],[1,3,null,0.0,1.0,0],[2,3,null,0.0,1.0,0]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":1,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false},"certified":null}',0,1794840471.102);
INSERT INTO "plans" VALUES('94af00f1a18e302bbecb68b1',2,2,'[[0,1,4],[1,2,3]]','[[0,1,4]]','{"pair":[0,2],"verdict":"not_yet","gap":0.9968602243263525,"estimated_reward":0.4,"interval":[0.010032721613631113,0.9524286986131356],"phase":"explore","samples":21,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,1,null,0.0,1.0,0],[1,2,1.0,0.004166666666662544,1.0,1],[1,3,0.25,0.0003258392431972901,0.9295132087095768,4],[2,3,0.25,0.0003258392431972901,0.9295132087095768,4],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":2,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false},"certified":null}',21,1794840471.26);
INSERT INTO "plans" VALUES('94af00f1a18e302bbecb68b1',3,3,'[[0,2,5],[1,2,3],[1,3,4],[2,3,4]]','[[0,2,5],[1,3,4],[2,3,4]]','{"pair":[1,2],"verdict":"not_yet","gap":0.9138149739873288,"estimated_reward":1.0,"interval":[0.004166666666662544,1.0],"phase":"refine","samples":32,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,2,0.4,0.010032721613631113,0.9524286986131356,5],[1,3,0.25,0.0003258392431972901,0.9295132087095768,4],[2,3,0.25,0.0003258392431972901,0.9295132087095768,4],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7],[0,1,0.2727272727272727,0.015187453269424944,0.7745694360756886,11]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":3,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false},"certified":null}',32,1794840471.327);
INSERT INTO "plans" VALUES('94af00f1a18e302bbecb68b1',4,5,'[[0,2,6],[0,3,7],[1,2,3]]','[[0,2,5],[0,3,7]]','{"pair":[1,2],"verdict":"not_yet","gap":0.8011324896158838,"estimated_reward":1.0,"interval":[0.004166666666662544,1.0],"phase":"refine","samples":51,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7],[0,2,0.4285714285714286,0.07865288076247001,0.8446954657734298,14],[2,3,0.16666666666666663,0.00017104466886086467,0.816269656101473,6],[0,1,0.2727272727272727,0.015187453269424944,0.7745694360756886,11],[1,3,0.25,0.013539456093689672,0.740070371537507,12]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":4,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false},"certified":null}',51,1794840471.443);
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('94af00f1a18e302bbecb68b1','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
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
INSERT INTO "sessions" VALUES('94af00f1a18e302bbecb68b1','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'6EE71D42B35B21B305117F9C1D8D0A4A50E85D96D6871D3F39662FBFC6BCCD1D','running',NULL,4,7,1794840471.102,1794840471.443,72,6,66,66,73,12,12,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-1","ad-2"],"i":1,"j":2,"estimated_reward":1.0,"interval":[0.004166666666662544,1.0],"gap":0.8011324896158838,"epsilon":0.2,"delta":0.05,"phase":"refine","samples":51,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"health":[],"plan_version":4,"updated_at":"2026-11-16T14:47:51.434+00:00"}','"5d803d9b9252d5f1beca0f776cb6b177"','[]',1,2);
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('90d41b51c13b49b597a3cd1c5f583c04',1794840471.079,1794840471.496);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_impressions_open ON impressions (session_id, sequence) WHERE epoch IS NULL;
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
COMMIT;
