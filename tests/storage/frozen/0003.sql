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
INSERT INTO "audit" VALUES(1,1794840410.246,'open access','create','1c3038aa35c5e722d6ee095e','{"name":"frozen","items":4}');
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
INSERT INTO "evidence" VALUES('1c3038aa35c5e722d6ee095e',0,1,2,11,5.0,0,0,4,1);
INSERT INTO "evidence" VALUES('1c3038aa35c5e722d6ee095e',0,2,1,5,4.0,0,0,2,0);
INSERT INTO "evidence" VALUES('1c3038aa35c5e722d6ee095e',0,3,1,7,5.0,0,0,2,0);
INSERT INTO "evidence" VALUES('1c3038aa35c5e722d6ee095e',1,2,1,2,1.0,0,0,4,2);
INSERT INTO "evidence" VALUES('1c3038aa35c5e722d6ee095e',1,2,3,33,23.0,0,0,4,3);
INSERT INTO "evidence" VALUES('1c3038aa35c5e722d6ee095e',1,3,1,4,2.0,0,0,2,0);
INSERT INTO "evidence" VALUES('1c3038aa35c5e722d6ee095e',2,3,1,4,3.0,0,0,2,0);
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
INSERT INTO "idempotency_keys" VALUES('1c3038aa35c5e722d6ee095e','next-pair/batch','key-0','digest','[["t1a1e4d33908CMh1zXNbBMvmMB_EWMr_oaPp",3,1,"explore",true,1],["t1a1e4d339082RmgNRHpLJsc1_G3FAmffZdy",3,0,"explore",true,1],["t1a1e4d33908_vk5cXS4NLhin-y5Syqhsb3A",0,3,"explore",true,1],["t1a1e4d33908Q0P0UOd1HCa4pVDqRx-GuUxs",3,0,"explore",true,1],["t1a1e4d33908lm_fetlns322zKhwp0ftb7Rj",3,2,"explore",true,1],["t1a1e4d33908wMwk4cSR6qr5giSx7jwWfqb5",0,2,"explore",true,1],["t1a1e4d33908GLuIryw6LNKyf9rTGoBKwW1P",2,0,"explore",true,1],["t1a1e4d33908AgVZzo7Kicjm1hHgQ7wHQzgH",2,1,"explore",true,1],["t1a1e4d33908EOgeEdDvedmeDeuL8IWmMROB",0,3,"explore",true,1],["t1a1e4d33908RHxiz2oeix9WhpUYgUjCYECE",0,2,"explore",true,1],["t1a1e4d33908L1VAmh5v7MO_yBEVDBcSQEiM",1,3,"explore",true,1],["t1a1e4d339088Bu_gEN440NA4HYgTT_mKOM3",1,2,"explore",true,1]]',1794840410.353);
INSERT INTO "idempotency_keys" VALUES('1c3038aa35c5e722d6ee095e','next-pair/batch','key-1','digest','[["t1a1e4d3394cu11wiCyo-HUQoYAbk6e5Y3G4",3,1,"explore",true,1],["t1a1e4d3394c80NuYSLxT-X6UmUeh0ftLlJ_",2,3,"explore",true,1],["t1a1e4d3394cT0krBjHO6kpRUfPvYiSXnVV2",2,1,"explore",true,1],["t1a1e4d3394c9KI0mKvCwDG3o7gINKuOMzP_",3,2,"explore",true,1],["t1a1e4d3394cnGSmdV3lN7bulbrHttJ2N4Vh",1,3,"explore",true,1],["t1a1e4d3394civNWOzKk5kciDq0samD-04Hi",3,0,"explore",true,1],["t1a1e4d3394cOGyFOP1lmqYXfRFwWc0S5MnJ",0,3,"explore",true,1],["t1a1e4d3394cRqTvvdTBMW6SGjN7ucZQY1eu",3,0,"explore",true,1],["t1a1e4d3394cgU4mhkspbIEoWSRrgBsFjgh8",3,2,"explore",true,1],["t1a1e4d3394c5QJqQ4TQFVWQ8MboCVEdOxH9",0,2,"explore",true,1],["t1a1e4d3394cPVAt3QXpkfveO4Zz-37ezZGc",0,2,"explore",true,1],["t1a1e4d3394cznlTTxQ6LVQgb1UQaSUxSg9m",2,1,"explore",true,1]]',1794840410.443);
INSERT INTO "idempotency_keys" VALUES('1c3038aa35c5e722d6ee095e','next-pair/batch','key-2','digest','[["t1a1e4d3396cGbQR-7hmwGhOo6jfbQ_i5UNJ",0,1,"explore",true,2],["t1a1e4d3396cm691z7OLaQKyJ98ADbZ2M7fp",0,1,"explore",true,2],["t1a1e4d3396cdRjWQ8cIc_CG_vQLjrLOTsEc",0,1,"explore",true,2],["t1a1e4d3396cvA83ZaG-qGjfgESCv5Jc8E45",1,0,"explore",true,2],["t1a1e4d3396c4PII5U8Ac3oBGk-qp27DXESn",0,1,"explore",true,2],["t1a1e4d3396ccDnQ13aRfXCPRujyxurASege",1,0,"explore",true,2],["t1a1e4d3396cBGavYinwKZHAPvcElvXWCx4H",0,1,"explore",true,2],["t1a1e4d3396ciGN6osRvHskUiweY0EgncgLU",0,1,"explore",true,2],["t1a1e4d3396coFTAGTWRK2nbPI6Nhjt0epiP",0,1,"explore",true,2],["t1a1e4d3396cs8QpN7u86D7jY1Q2R-9UdGRL",1,0,"explore",true,2],["t1a1e4d3396cKSR1QPq6rTdwT9gSpfO_pzzR",0,1,"explore",true,2],["t1a1e4d3396cWeiesqsO4LWfCqQRTvheIJNf",0,1,"explore",true,2]]',1794840410.475);
INSERT INTO "idempotency_keys" VALUES('1c3038aa35c5e722d6ee095e','next-pair/batch','key-3','digest','[["t1a1e4d339a4hgGJX_JssY02RYqvF0Oap3Lj",1,2,"explore",true,3],["t1a1e4d339a4TdV4LgMfw2mR2ZyelJglzqry",1,2,"explore",true,3],["t1a1e4d339a4GBjNh5itVUDo0EBKXzqmjqYc",1,2,"explore",true,3],["t1a1e4d339a4jSNmSP77q1fAXbPR6Vi3uwZA",1,2,"explore",true,3],["t1a1e4d339a4lN_-gCXMXDMg2PcNX7F1nZNK",1,2,"explore",true,3],["t1a1e4d339a4kuQu_-cSSiNcArE9Ehghiqos",1,2,"explore",true,3],["t1a1e4d339a48PNzaNI6da_8VZXSoGYbKcXt",2,1,"explore",true,3],["t1a1e4d339a4xAVkcz9nIXYumzL-8uhBZ53j",2,1,"explore",true,3],["t1a1e4d339a4Cs0rYtvEWPpWJz5xNWpzpOTE",1,2,"explore",true,3],["t1a1e4d339a4hOtbWIOHnfNsusiwhIgKakBX",2,1,"explore",true,3],["t1a1e4d339a4_6BN0Zk6R0Xj15j_8w5U09xD",1,2,"explore",true,3],["t1a1e4d339a4hMlotP51bqgxDSJ6YJBfxjCz",1,2,"explore",true,3]]',1794840410.53);
INSERT INTO "idempotency_keys" VALUES('1c3038aa35c5e722d6ee095e','next-pair/batch','key-4','digest','[["t1a1e4d339c0IuoqfryWr_tTwbPUFVkxkhA-",1,2,"explore",true,3],["t1a1e4d339c0T4s60HVhGVidpucx_dYUXwJS",2,1,"explore",true,3],["t1a1e4d339c04hhHS2Pocz_Y8-mUfniZ7Q6f",2,1,"explore",true,3],["t1a1e4d339c0Gr3KeEvGYmu3HjYVLj4I2cFe",1,2,"explore",true,3],["t1a1e4d339c015cmgMpejp7BvSoL2znTSWBQ",1,2,"explore",true,3],["t1a1e4d339c0TfFmhHhy5sihzqyy6W1zWDRP",2,1,"explore",true,3],["t1a1e4d339c0zosJ0o-r1Dffe8EjBHHfB54A",1,2,"explore",true,3],["t1a1e4d339c0RJGVYxC7TaRInytD95Zk36Ox",1,2,"explore",true,3],["t1a1e4d339c0otyKHhuvYdWSd3bHpZ0NyPkb",2,1,"explore",true,3],["t1a1e4d339c0I0k3OJWvCvQqIma2uBzQzA8m",1,2,"explore",true,3],["t1a1e4d339c0Ka69qw7vNsA5yUMrHlc7CLoI",2,1,"explore",true,3],["t1a1e4d339c0hVa1HUU_OYpmiJuI3LhKgkEZ",2,1,"explore",true,3]]',1794840410.56);
INSERT INTO "idempotency_keys" VALUES('1c3038aa35c5e722d6ee095e','next-pair/batch','key-5','digest','[["t1a1e4d339d8uT7KY1XfgQDzHIBBKDOpQ9d7",1,2,"explore",true,3],["t1a1e4d339d8u0B99yBtXcYOTCHQB3sQduyl",1,2,"explore",true,3],["t1a1e4d339d8X0RnnYu9KhV5_5hVDYrSy6LW",2,1,"explore",true,3],["t1a1e4d339d8i3lJkuwHH35qVkv_GJReHXiD",1,2,"explore",true,3],["t1a1e4d339d8I8bT6A1JqANSqJSgGFccUHii",1,2,"explore",true,3],["t1a1e4d339d8MMWZmBaCxucs42m_qvI0E1Qs",1,2,"explore",true,3],["t1a1e4d339d8nAbwpy2U0A4Mo2ULZBMB30Au",2,1,"explore",true,3],["t1a1e4d339d8sYVfeoIEH5Nj1UYMSF8tBQm9",1,2,"explore",true,3],["t1a1e4d339d8zr9_u0dVcmE3W16P5uMLiw3u",1,2,"explore",true,3],["t1a1e4d339d8jy72C1HNqgCdE6Kxrh7C-U8n",1,2,"explore",true,3],["t1a1e4d339d8BuWxKwb0VD2kMqdKF7qG6OoI",2,1,"explore",true,3],["t1a1e4d339d8QQg5R-APmRB9vkx6OnDdB_y8",1,2,"explore",true,3]]',1794840410.584);
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
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',1,'t1a1e4d33908CMh1zXNbBMvmMB_EWMr_oaPp',3,1,'key-0','explore',1,1,1794840408.353,1.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',2,'t1a1e4d339082RmgNRHpLJsc1_G3FAmffZdy',3,0,'key-0','explore',1,1,1794840408.353,0.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',3,'t1a1e4d33908_vk5cXS4NLhin-y5Syqhsb3A',0,3,'key-0','explore',1,1,1794840408.353,0.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',4,'t1a1e4d33908Q0P0UOd1HCa4pVDqRx-GuUxs',3,0,'key-0','explore',1,1,1794840408.353,1.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',5,'t1a1e4d33908lm_fetlns322zKhwp0ftb7Rj',3,2,'key-0','explore',1,1,1794840408.353,0.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',6,'t1a1e4d33908wMwk4cSR6qr5giSx7jwWfqb5',0,2,'key-0','explore',1,1,1794840408.353,0.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',7,'t1a1e4d33908GLuIryw6LNKyf9rTGoBKwW1P',2,0,'key-0','explore',1,1,1794840408.353,0.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',8,'t1a1e4d33908AgVZzo7Kicjm1hHgQ7wHQzgH',2,1,'key-0','explore',1,1,1794840408.353,1.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',9,'t1a1e4d33908EOgeEdDvedmeDeuL8IWmMROB',0,3,'key-0','explore',1,1,1794840408.353,0.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',10,'t1a1e4d33908RHxiz2oeix9WhpUYgUjCYECE',0,2,'key-0','explore',1,1,1794840408.353,1.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',11,'t1a1e4d33908L1VAmh5v7MO_yBEVDBcSQEiM',1,3,'key-0','explore',1,1,1794840408.353,0.0,NULL,1794840410.39,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',12,'t1a1e4d339088Bu_gEN440NA4HYgTT_mKOM3',1,2,'key-0','explore',1,1,1794840408.353,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',13,'t1a1e4d3394cu11wiCyo-HUQoYAbk6e5Y3G4',3,1,'key-1','explore',1,1,1794840408.443,0.0,NULL,1794840410.45,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',14,'t1a1e4d3394c80NuYSLxT-X6UmUeh0ftLlJ_',2,3,'key-1','explore',1,1,1794840408.443,0.0,NULL,1794840410.45,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',15,'t1a1e4d3394cT0krBjHO6kpRUfPvYiSXnVV2',2,1,'key-1','explore',1,1,1794840408.443,0.0,NULL,1794840410.45,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',16,'t1a1e4d3394c9KI0mKvCwDG3o7gINKuOMzP_',3,2,'key-1','explore',1,1,1794840408.443,0.0,NULL,1794840410.45,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',17,'t1a1e4d3394cnGSmdV3lN7bulbrHttJ2N4Vh',1,3,'key-1','explore',1,1,1794840408.443,1.0,NULL,1794840410.452,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',18,'t1a1e4d3394civNWOzKk5kciDq0samD-04Hi',3,0,'key-1','explore',1,1,1794840408.443,1.0,NULL,1794840410.452,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',19,'t1a1e4d3394cOGyFOP1lmqYXfRFwWc0S5MnJ',0,3,'key-1','explore',1,1,1794840408.443,0.0,NULL,1794840410.45,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',20,'t1a1e4d3394cRqTvvdTBMW6SGjN7ucZQY1eu',3,0,'key-1','explore',1,1,1794840408.443,0.0,NULL,1794840410.45,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',21,'t1a1e4d3394cgU4mhkspbIEoWSRrgBsFjgh8',3,2,'key-1','explore',1,1,1794840408.443,1.0,NULL,1794840410.452,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',22,'t1a1e4d3394c5QJqQ4TQFVWQ8MboCVEdOxH9',0,2,'key-1','explore',1,1,1794840408.443,0.0,NULL,1794840410.45,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',23,'t1a1e4d3394cPVAt3QXpkfveO4Zz-37ezZGc',0,2,'key-1','explore',1,1,1794840408.443,0.0,NULL,1794840410.45,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',24,'t1a1e4d3394cznlTTxQ6LVQgb1UQaSUxSg9m',2,1,'key-1','explore',1,1,1794840408.443,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',25,'t1a1e4d3396cGbQR-7hmwGhOo6jfbQ_i5UNJ',0,1,'key-2','explore',1,2,1794840408.475,0.0,NULL,1794840410.481,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',26,'t1a1e4d3396cm691z7OLaQKyJ98ADbZ2M7fp',0,1,'key-2','explore',1,2,1794840408.475,1.0,NULL,1794840410.482,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',27,'t1a1e4d3396cdRjWQ8cIc_CG_vQLjrLOTsEc',0,1,'key-2','explore',1,2,1794840408.475,0.0,NULL,1794840410.481,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',28,'t1a1e4d3396cvA83ZaG-qGjfgESCv5Jc8E45',1,0,'key-2','explore',1,2,1794840408.475,1.0,NULL,1794840410.482,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',29,'t1a1e4d3396c4PII5U8Ac3oBGk-qp27DXESn',0,1,'key-2','explore',1,2,1794840408.475,1.0,NULL,1794840410.482,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',30,'t1a1e4d3396ccDnQ13aRfXCPRujyxurASege',1,0,'key-2','explore',1,2,1794840408.475,0.0,NULL,1794840410.481,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',31,'t1a1e4d3396cBGavYinwKZHAPvcElvXWCx4H',0,1,'key-2','explore',1,2,1794840408.475,0.0,NULL,1794840410.481,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',32,'t1a1e4d3396ciGN6osRvHskUiweY0EgncgLU',0,1,'key-2','explore',1,2,1794840408.475,1.0,NULL,1794840410.482,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',33,'t1a1e4d3396coFTAGTWRK2nbPI6Nhjt0epiP',0,1,'key-2','explore',1,2,1794840408.475,0.0,NULL,1794840410.481,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',34,'t1a1e4d3396cs8QpN7u86D7jY1Q2R-9UdGRL',1,0,'key-2','explore',1,2,1794840408.475,1.0,NULL,1794840410.482,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',35,'t1a1e4d3396cKSR1QPq6rTdwT9gSpfO_pzzR',0,1,'key-2','explore',1,2,1794840408.475,1.0,NULL,1794840410.482,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',36,'t1a1e4d3396cWeiesqsO4LWfCqQRTvheIJNf',0,1,'key-2','explore',1,2,1794840408.475,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',37,'t1a1e4d339a4hgGJX_JssY02RYqvF0Oap3Lj',1,2,'key-3','explore',1,3,1794840408.53,0.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',38,'t1a1e4d339a4TdV4LgMfw2mR2ZyelJglzqry',1,2,'key-3','explore',1,3,1794840408.53,0.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',39,'t1a1e4d339a4GBjNh5itVUDo0EBKXzqmjqYc',1,2,'key-3','explore',1,3,1794840408.53,1.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',40,'t1a1e4d339a4jSNmSP77q1fAXbPR6Vi3uwZA',1,2,'key-3','explore',1,3,1794840408.53,0.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',41,'t1a1e4d339a4lN_-gCXMXDMg2PcNX7F1nZNK',1,2,'key-3','explore',1,3,1794840408.53,0.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',42,'t1a1e4d339a4kuQu_-cSSiNcArE9Ehghiqos',1,2,'key-3','explore',1,3,1794840408.53,1.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',43,'t1a1e4d339a48PNzaNI6da_8VZXSoGYbKcXt',2,1,'key-3','explore',1,3,1794840408.53,0.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',44,'t1a1e4d339a4xAVkcz9nIXYumzL-8uhBZ53j',2,1,'key-3','explore',1,3,1794840408.53,1.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',45,'t1a1e4d339a4Cs0rYtvEWPpWJz5xNWpzpOTE',1,2,'key-3','explore',1,3,1794840408.53,1.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',46,'t1a1e4d339a4hOtbWIOHnfNsusiwhIgKakBX',2,1,'key-3','explore',1,3,1794840408.53,0.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',47,'t1a1e4d339a4_6BN0Zk6R0Xj15j_8w5U09xD',1,2,'key-3','explore',1,3,1794840408.53,0.0,NULL,1794840410.546,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',48,'t1a1e4d339a4hMlotP51bqgxDSJ6YJBfxjCz',1,2,'key-3','explore',1,3,1794840408.53,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',49,'t1a1e4d339c0IuoqfryWr_tTwbPUFVkxkhA-',1,2,'key-4','explore',1,3,1794840408.56,0.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',50,'t1a1e4d339c0T4s60HVhGVidpucx_dYUXwJS',2,1,'key-4','explore',1,3,1794840408.56,0.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',51,'t1a1e4d339c04hhHS2Pocz_Y8-mUfniZ7Q6f',2,1,'key-4','explore',1,3,1794840408.56,0.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',52,'t1a1e4d339c0Gr3KeEvGYmu3HjYVLj4I2cFe',1,2,'key-4','explore',1,3,1794840408.56,0.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',53,'t1a1e4d339c015cmgMpejp7BvSoL2znTSWBQ',1,2,'key-4','explore',1,3,1794840408.56,1.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',54,'t1a1e4d339c0TfFmhHhy5sihzqyy6W1zWDRP',2,1,'key-4','explore',1,3,1794840408.56,0.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',55,'t1a1e4d339c0zosJ0o-r1Dffe8EjBHHfB54A',1,2,'key-4','explore',1,3,1794840408.56,0.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',56,'t1a1e4d339c0RJGVYxC7TaRInytD95Zk36Ox',1,2,'key-4','explore',1,3,1794840408.56,1.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',57,'t1a1e4d339c0otyKHhuvYdWSd3bHpZ0NyPkb',2,1,'key-4','explore',1,3,1794840408.56,0.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',58,'t1a1e4d339c0I0k3OJWvCvQqIma2uBzQzA8m',1,2,'key-4','explore',1,3,1794840408.56,0.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',59,'t1a1e4d339c0Ka69qw7vNsA5yUMrHlc7CLoI',2,1,'key-4','explore',1,3,1794840408.56,0.0,NULL,1794840410.573,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',60,'t1a1e4d339c0hVa1HUU_OYpmiJuI3LhKgkEZ',2,1,'key-4','explore',1,3,1794840408.56,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',61,'t1a1e4d339d8uT7KY1XfgQDzHIBBKDOpQ9d7',1,2,'key-5','explore',1,3,1794840408.584,1.0,NULL,1794840410.598,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',62,'t1a1e4d339d8u0B99yBtXcYOTCHQB3sQduyl',1,2,'key-5','explore',1,3,1794840408.584,0.0,NULL,1794840410.597,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',63,'t1a1e4d339d8X0RnnYu9KhV5_5hVDYrSy6LW',2,1,'key-5','explore',1,3,1794840408.584,1.0,NULL,1794840410.598,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',64,'t1a1e4d339d8i3lJkuwHH35qVkv_GJReHXiD',1,2,'key-5','explore',1,3,1794840408.584,1.0,NULL,1794840410.598,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',65,'t1a1e4d339d8I8bT6A1JqANSqJSgGFccUHii',1,2,'key-5','explore',1,3,1794840408.584,0.0,NULL,1794840410.597,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',66,'t1a1e4d339d8MMWZmBaCxucs42m_qvI0E1Qs',1,2,'key-5','explore',1,3,1794840408.584,0.0,NULL,1794840410.597,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',67,'t1a1e4d339d8nAbwpy2U0A4Mo2ULZBMB30Au',2,1,'key-5','explore',1,3,1794840408.584,0.0,NULL,1794840410.597,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',68,'t1a1e4d339d8sYVfeoIEH5Nj1UYMSF8tBQm9',1,2,'key-5','explore',1,3,1794840408.584,0.0,NULL,1794840410.597,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',69,'t1a1e4d339d8zr9_u0dVcmE3W16P5uMLiw3u',1,2,'key-5','explore',1,3,1794840408.584,0.0,NULL,1794840410.597,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',70,'t1a1e4d339d8jy72C1HNqgCdE6Kxrh7C-U8n',1,2,'key-5','explore',1,3,1794840408.584,1.0,NULL,1794840410.598,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',71,'t1a1e4d339d8BuWxKwb0VD2kMqdKF7qG6OoI',2,1,'key-5','explore',1,3,1794840408.584,0.0,NULL,1794840410.597,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1c3038aa35c5e722d6ee095e',72,'t1a1e4d339d8QQg5R-APmRB9vkx6OnDdB_y8',1,2,'key-5','explore',1,3,1794840408.584,NULL,NULL,NULL,0,1,NULL,NULL,NULL,4);
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
INSERT INTO "plans" VALUES('1c3038aa35c5e722d6ee095e',1,0,'[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,2,null,0.0,1.0,0],[0,3,null,0.0,1.0,0],[1,2,null,0.0,1.0,0],[1,3,null,0.0,1.0,0],[2,3,null,0.0,1.0,0]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":1,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false},"certified":null}',0,1794840410.246);
INSERT INTO "plans" VALUES('1c3038aa35c5e722d6ee095e',2,2,'[[0,1,4],[1,2,3]]','[[0,1,4]]','{"pair":[1,3],"verdict":"not_yet","gap":0.9955608768028266,"estimated_reward":0.5,"interval":[0.014176395035571221,0.9858236049644288],"phase":"explore","samples":21,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,1,null,0.0,1.0,0],[1,2,1.0,0.004166666666662544,1.0,1],[2,3,0.25,0.0003258392431972901,0.9295132087095768,4],[0,2,0.19999999999999996,0.00022807258056989355,0.8728901187913025,5],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":2,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false},"certified":null}',21,1794840410.471);
INSERT INTO "plans" VALUES('1c3038aa35c5e722d6ee095e',3,3,'[[1,2,3]]','[[1,2,3]]','{"pair":[0,1],"verdict":"not_yet","gap":0.9274406962262547,"estimated_reward":0.5454545454545454,"interval":[0.11024895320594041,0.9312559691365085],"phase":"explore","samples":32,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[1,2,1.0,0.004166666666662544,1.0,1],[1,3,0.5,0.014176395035571221,0.9858236049644288,4],[2,3,0.25,0.0003258392431972901,0.9295132087095768,4],[0,2,0.19999999999999996,0.00022807258056989355,0.8728901187913025,5],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":3,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false},"certified":null}',32,1794840410.514);
INSERT INTO "plans" VALUES('1c3038aa35c5e722d6ee095e',4,4,'[[0,1,3],[0,2,5],[1,3,4],[2,3,4]]','[[0,1,3],[0,2,5],[1,3,4],[2,3,4]]','{"pair":[0,1],"verdict":"not_yet","gap":0.8938354296421669,"estimated_reward":0.5454545454545454,"interval":[0.11024895320594041,0.9312559691365085],"phase":"refine","samples":66,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[1,3,0.5,0.014176395035571221,0.9858236049644288,4],[2,3,0.25,0.0003258392431972901,0.9295132087095768,4],[0,2,0.19999999999999996,0.00022807258056989355,0.8728901187913025,5],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7],[1,2,0.3142857142857143,0.09174270442467047,0.6223112975130762,35]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0},"health":[]}','{"version":4,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false},"certified":null}',66,1794840410.671);
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('1c3038aa35c5e722d6ee095e','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
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
INSERT INTO "sessions" VALUES('1c3038aa35c5e722d6ee095e','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'A2E32D245F55E69BEC75A9E520C87A553BDDFC7D3F880DC9002337A1A3185916','running',NULL,4,4,1794840410.246,1794840410.671,72,6,66,66,73,0,16,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-0","ad-1"],"i":0,"j":1,"estimated_reward":0.5454545454545454,"interval":[0.11024895320594041,0.9312559691365085],"gap":0.8938354296421669,"epsilon":0.2,"delta":0.05,"phase":"refine","samples":66,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"health":[],"plan_version":4,"updated_at":"2026-11-16T14:46:50.647+00:00"}','"d9be47f70856c857220c78e066621a86"','[]',0,1);
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('321dac9f3c254bc6b5eadf8c07c24ccd',1794840410.211,1794840410.686);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_impressions_open ON impressions (session_id, sequence) WHERE epoch IS NULL;
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
COMMIT;
