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
INSERT INTO "evidence" VALUES('20f45efefde2f03ea366c262',0,1,2,8,5.0,0,0,3);
INSERT INTO "evidence" VALUES('20f45efefde2f03ea366c262',0,2,1,6,4.0,0,0,2);
INSERT INTO "evidence" VALUES('20f45efefde2f03ea366c262',0,3,1,4,3.0,0,0,2);
INSERT INTO "evidence" VALUES('20f45efefde2f03ea366c262',1,2,1,3,3.0,0,0,1);
INSERT INTO "evidence" VALUES('20f45efefde2f03ea366c262',1,3,1,3,3.0,0,0,2);
INSERT INTO "evidence" VALUES('20f45efefde2f03ea366c262',1,3,2,3,2.0,0,0,3);
INSERT INTO "evidence" VALUES('20f45efefde2f03ea366c262',2,3,1,4,3.0,0,0,2);
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
INSERT INTO "idempotency_keys" VALUES('20f45efefde2f03ea366c262','next-pair/batch','key-0','digest','[["tqvDW3vpSsldPnHzAsElM7g",2,1,"explore",true,1],["tAhden9QF8FTO5pUA9X_Wjg",2,0,"explore",true,1],["tPYqHjlxauq1jymcjo6lF0A",3,0,"explore",true,1],["t_zPN5e9-Cm4ONeNRtMbhjg",2,1,"explore",true,1],["tLywyTmrtd6hcRna_25ZA_A",3,2,"explore",true,1],["t-YLYocsUahbhw8KQYmcx2g",2,0,"explore",true,1],["tr-Z1TXBNSGtCz8smLul-mg",2,0,"explore",true,1],["tfbaeT4RekauCcLCu0ykqbA",1,2,"explore",true,1],["tF_iUfHhzEpkoiKU_PsuTYg",0,3,"explore",true,1],["t4L-y67EBHy120qmAnI_7Gw",0,3,"explore",true,1],["tjuKz265TUadTYVrmh9K3TQ",1,3,"explore",true,1],["tHGzQWmc6EQYI64Mt3YTtVw",2,1,"explore",true,1]]',1794812007.316);
INSERT INTO "idempotency_keys" VALUES('20f45efefde2f03ea366c262','next-pair/batch','key-1','digest','[["taCvP7w8qGpKpTauGLTdR8g",3,1,"explore",true,1],["t38PjEvBW1Rcwjm5YYuakMA",3,1,"explore",true,1],["tzadLGbGzTNmAsAep9jjK_Q",3,2,"explore",true,1],["tckXUicIuDKsbw81YyODvAQ",3,2,"explore",true,1],["toEtanXqRUulj5NZmEtJvFg",2,1,"explore",true,1],["t5Skkt6pKJedqn89T5RiGyQ",0,2,"explore",true,1],["tAHjhXpE2WkERKpdl6kFnTQ",3,0,"explore",true,1],["tOaOd3ILPP5tvXqheiH76Pg",2,1,"explore",true,1],["tF2T4ZvteQFhJICzgbHlkcQ",2,3,"explore",true,1],["tr7udE6D627AeIjXC04e0XA",0,2,"explore",true,1],["tTtOZQe_0As5f9B_LFkSy5w",0,2,"explore",true,1],["tR8yqCBoX6a5G6AfHkihsjw",2,1,"explore",true,1]]',1794812007.345);
INSERT INTO "idempotency_keys" VALUES('20f45efefde2f03ea366c262','next-pair/batch','key-2','digest','[["tc-UuCXOO1cWo50vNjIJ-sw",1,3,"explore",true,2],["tXXWSdKm5YedSfCPOICYTDQ",0,1,"explore",true,2],["tlRCmj2Gl99FydYkw8DceKw",0,1,"explore",true,2],["t_2Yvcw0XcVsuv3wgqHyU0w",0,1,"explore",true,2],["tou0amshovzks5cJIk-7JaQ",0,1,"explore",true,2],["ttCKMDxOUOTsP3fbK6reubw",3,1,"explore",true,2],["tceuG5j21geFmEF6LseVysQ",0,1,"explore",true,2],["t8NYy2Bw9qEO4RYC-u3gCPQ",1,0,"explore",true,2],["tICoHmXg4pdHIRkJVFeRipQ",1,0,"explore",true,2],["tcBfQir6eEGe6WzgW0SUU6A",1,0,"explore",true,2],["tq1IDJLQD09QKuz05ETksSw",1,3,"explore",true,2],["tdrO4hYCisFgMjue1rKRkfA",0,1,"explore",true,2]]',1794812007.362);
INSERT INTO "idempotency_keys" VALUES('20f45efefde2f03ea366c262','next-pair/batch','key-3','digest','[["tQPmwnnR1TRIJkEx8HtVOjA",2,1,"explore",true,3],["t5D5X1TZXWqlTXHe1zAUdyQ",1,2,"explore",true,3],["tc41obDux5Uh116C7TBUurQ",1,2,"explore",true,3],["t1Fnmlwbb1ga-4kpBU55bug",2,1,"explore",true,3],["tfp2u9sKf6RCYDhckbV-MoQ",2,1,"explore",true,3],["tXP1YdpuAg-jA5F_pP8SidA",2,1,"explore",true,3],["trd0LcZyEGURfiX48O-Xf8g",1,2,"explore",true,3],["tQb7PgdiAHFDT728U9Bos1g",2,1,"explore",true,3],["tNaWSjf7RazegQAV1OHHHSA",2,1,"explore",true,3],["tuTYPKIm3uVY3ELo2PFKXuw",2,1,"explore",true,3],["thK0riRn_r8IdQaUCv0dD3g",1,2,"explore",true,3],["tD4Xud1YVI6vkiU1mlH4HQg",1,2,"explore",true,3]]',1794812007.38);
INSERT INTO "idempotency_keys" VALUES('20f45efefde2f03ea366c262','next-pair/batch','key-4','digest','[["tMSWrQrRKvVzUdG1YfwEYHA",1,2,"explore",true,3],["t9lm3mT06DTzAELlHcPbdtQ",2,1,"explore",true,3],["tBp6IBgjgcugOh79OhAl4mA",1,2,"explore",true,3],["trzyf7s8jHgFElq4fHFn-3w",2,1,"explore",true,3],["t6K3SHazxTt6ORvUaUn5jGg",2,1,"explore",true,3],["ttHvq5yFMLOuYGvam4PBJEw",1,2,"explore",true,3],["t57JSO5g130c6FndCq1NqIw",1,2,"explore",true,3],["tUkID8ZLptvvw7nkE3u0NOA",2,1,"explore",true,3],["tl_WN-p7oF55GCSjHpe2wFw",2,1,"explore",true,3],["tq9NqdYgB0xHtZW3FDMIPaQ",1,2,"explore",true,3],["t9tC8F_Pdal9ikkDvu7igSw",1,2,"explore",true,3],["t35mKF1Gwbz-xd6A2ZhIY3g",1,2,"explore",true,3]]',1794812007.392);
INSERT INTO "idempotency_keys" VALUES('20f45efefde2f03ea366c262','next-pair/batch','key-5','digest','[["tCSipFa9GKfCw63ax8FtJsg",2,1,"explore",true,3],["tLac-aJI6X7UgGgri0gAqIA",2,1,"explore",true,3],["t0mR2F2B0vPeVDLU9qx8cdg",1,2,"explore",true,3],["twhzTkinXgY-a1E6VHCldIA",2,1,"explore",true,3],["tSs1FLJXRCa_LG9YTx7myxg",2,1,"explore",true,3],["trim1xvUOxToN24SD50OiDw",1,2,"explore",true,3],["tljos2S_cGXGXckybQXMvlw",2,1,"explore",true,3],["tQh_T401QVkd8R_9TFQz6Dw",2,1,"explore",true,3],["tUHaiGqVtrSKEj3P_W88mFA",2,1,"explore",true,3],["t2NM1B8Uckv9S6OE0fk1KRw",1,2,"explore",true,3],["tUdGDL_CqXzwAnCOq1mtgHA",2,1,"explore",true,3],["tUeCrm48asoVJvRENhWs34g",2,1,"explore",true,3]]',1794812007.401);
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
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',1,'tqvDW3vpSsldPnHzAsElM7g',2,1,'key-0','explore',1,1,1794812007.316,0.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',2,'tAhden9QF8FTO5pUA9X_Wjg',2,0,'key-0','explore',1,1,1794812007.316,1.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',3,'tPYqHjlxauq1jymcjo6lF0A',3,0,'key-0','explore',1,1,1794812007.316,0.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',4,'t_zPN5e9-Cm4ONeNRtMbhjg',2,1,'key-0','explore',1,1,1794812007.316,0.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',5,'tLywyTmrtd6hcRna_25ZA_A',3,2,'key-0','explore',1,1,1794812007.316,0.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',6,'t-YLYocsUahbhw8KQYmcx2g',2,0,'key-0','explore',1,1,1794812007.316,0.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',7,'tr-Z1TXBNSGtCz8smLul-mg',2,0,'key-0','explore',1,1,1794812007.316,0.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',8,'tfbaeT4RekauCcLCu0ykqbA',1,2,'key-0','explore',1,1,1794812007.316,0.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',9,'tF_iUfHhzEpkoiKU_PsuTYg',0,3,'key-0','explore',1,1,1794812007.316,0.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',10,'t4L-y67EBHy120qmAnI_7Gw',0,3,'key-0','explore',1,1,1794812007.316,1.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',11,'tjuKz265TUadTYVrmh9K3TQ',1,3,'key-0','explore',1,1,1794812007.316,0.0,NULL,1794812007.326,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',12,'tHGzQWmc6EQYI64Mt3YTtVw',2,1,'key-0','explore',1,1,1794812007.316,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',13,'taCvP7w8qGpKpTauGLTdR8g',3,1,'key-1','explore',1,1,1794812007.345,0.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',14,'t38PjEvBW1Rcwjm5YYuakMA',3,1,'key-1','explore',1,1,1794812007.345,0.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',15,'tzadLGbGzTNmAsAep9jjK_Q',3,2,'key-1','explore',1,1,1794812007.345,1.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',16,'tckXUicIuDKsbw81YyODvAQ',3,2,'key-1','explore',1,1,1794812007.345,0.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',17,'toEtanXqRUulj5NZmEtJvFg',2,1,'key-1','explore',1,1,1794812007.345,0.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',18,'t5Skkt6pKJedqn89T5RiGyQ',0,2,'key-1','explore',1,1,1794812007.345,1.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',19,'tAHjhXpE2WkERKpdl6kFnTQ',3,0,'key-1','explore',1,1,1794812007.345,0.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',20,'tOaOd3ILPP5tvXqheiH76Pg',2,1,'key-1','explore',1,1,1794812007.345,0.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',21,'tF2T4ZvteQFhJICzgbHlkcQ',2,3,'key-1','explore',1,1,1794812007.345,0.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',22,'tr7udE6D627AeIjXC04e0XA',0,2,'key-1','explore',1,1,1794812007.345,0.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',23,'tTtOZQe_0As5f9B_LFkSy5w',0,2,'key-1','explore',1,1,1794812007.345,0.0,NULL,1794812007.348,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',24,'tR8yqCBoX6a5G6AfHkihsjw',2,1,'key-1','explore',1,1,1794812007.345,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',25,'tc-UuCXOO1cWo50vNjIJ-sw',1,3,'key-2','explore',1,2,1794812007.362,1.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',26,'tXXWSdKm5YedSfCPOICYTDQ',0,1,'key-2','explore',1,2,1794812007.362,1.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',27,'tlRCmj2Gl99FydYkw8DceKw',0,1,'key-2','explore',1,2,1794812007.362,0.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',28,'t_2Yvcw0XcVsuv3wgqHyU0w',0,1,'key-2','explore',1,2,1794812007.362,0.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',29,'tou0amshovzks5cJIk-7JaQ',0,1,'key-2','explore',1,2,1794812007.362,1.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',30,'ttCKMDxOUOTsP3fbK6reubw',3,1,'key-2','explore',1,2,1794812007.362,0.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',31,'tceuG5j21geFmEF6LseVysQ',0,1,'key-2','explore',1,2,1794812007.362,0.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',32,'t8NYy2Bw9qEO4RYC-u3gCPQ',1,0,'key-2','explore',1,2,1794812007.362,0.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',33,'tICoHmXg4pdHIRkJVFeRipQ',1,0,'key-2','explore',1,2,1794812007.362,0.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',34,'tcBfQir6eEGe6WzgW0SUU6A',1,0,'key-2','explore',1,2,1794812007.362,1.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',35,'tq1IDJLQD09QKuz05ETksSw',1,3,'key-2','explore',1,2,1794812007.362,0.0,NULL,1794812007.366,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',36,'tdrO4hYCisFgMjue1rKRkfA',0,1,'key-2','explore',1,2,1794812007.362,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',37,'tQPmwnnR1TRIJkEx8HtVOjA',2,1,'key-3','explore',1,3,1794812007.38,0.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',38,'t5D5X1TZXWqlTXHe1zAUdyQ',1,2,'key-3','explore',1,3,1794812007.38,0.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',39,'tc41obDux5Uh116C7TBUurQ',1,2,'key-3','explore',1,3,1794812007.38,1.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',40,'t1Fnmlwbb1ga-4kpBU55bug',2,1,'key-3','explore',1,3,1794812007.38,0.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',41,'tfp2u9sKf6RCYDhckbV-MoQ',2,1,'key-3','explore',1,3,1794812007.38,1.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',42,'tXP1YdpuAg-jA5F_pP8SidA',2,1,'key-3','explore',1,3,1794812007.38,0.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',43,'trd0LcZyEGURfiX48O-Xf8g',1,2,'key-3','explore',1,3,1794812007.38,0.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',44,'tQb7PgdiAHFDT728U9Bos1g',2,1,'key-3','explore',1,3,1794812007.38,1.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',45,'tNaWSjf7RazegQAV1OHHHSA',2,1,'key-3','explore',1,3,1794812007.38,0.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',46,'tuTYPKIm3uVY3ELo2PFKXuw',2,1,'key-3','explore',1,3,1794812007.38,0.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',47,'thK0riRn_r8IdQaUCv0dD3g',1,2,'key-3','explore',1,3,1794812007.38,0.0,NULL,1794812007.384,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',48,'tD4Xud1YVI6vkiU1mlH4HQg',1,2,'key-3','explore',1,3,1794812007.38,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',49,'tMSWrQrRKvVzUdG1YfwEYHA',1,2,'key-4','explore',1,3,1794812007.392,0.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',50,'t9lm3mT06DTzAELlHcPbdtQ',2,1,'key-4','explore',1,3,1794812007.392,0.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',51,'tBp6IBgjgcugOh79OhAl4mA',1,2,'key-4','explore',1,3,1794812007.392,0.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',52,'trzyf7s8jHgFElq4fHFn-3w',2,1,'key-4','explore',1,3,1794812007.392,1.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',53,'t6K3SHazxTt6ORvUaUn5jGg',2,1,'key-4','explore',1,3,1794812007.392,0.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',54,'ttHvq5yFMLOuYGvam4PBJEw',1,2,'key-4','explore',1,3,1794812007.392,0.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',55,'t57JSO5g130c6FndCq1NqIw',1,2,'key-4','explore',1,3,1794812007.392,0.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',56,'tUkID8ZLptvvw7nkE3u0NOA',2,1,'key-4','explore',1,3,1794812007.392,0.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',57,'tl_WN-p7oF55GCSjHpe2wFw',2,1,'key-4','explore',1,3,1794812007.392,0.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',58,'tq9NqdYgB0xHtZW3FDMIPaQ',1,2,'key-4','explore',1,3,1794812007.392,0.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',59,'t9tC8F_Pdal9ikkDvu7igSw',1,2,'key-4','explore',1,3,1794812007.392,1.0,NULL,1794812007.395,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',60,'t35mKF1Gwbz-xd6A2ZhIY3g',1,2,'key-4','explore',1,3,1794812007.392,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',61,'tCSipFa9GKfCw63ax8FtJsg',2,1,'key-5','explore',1,3,1794812007.401,0.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',62,'tLac-aJI6X7UgGgri0gAqIA',2,1,'key-5','explore',1,3,1794812007.401,0.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',63,'t0mR2F2B0vPeVDLU9qx8cdg',1,2,'key-5','explore',1,3,1794812007.401,0.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',64,'twhzTkinXgY-a1E6VHCldIA',2,1,'key-5','explore',1,3,1794812007.401,0.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',65,'tSs1FLJXRCa_LG9YTx7myxg',2,1,'key-5','explore',1,3,1794812007.401,0.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',66,'trim1xvUOxToN24SD50OiDw',1,2,'key-5','explore',1,3,1794812007.401,0.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',67,'tljos2S_cGXGXckybQXMvlw',2,1,'key-5','explore',1,3,1794812007.401,0.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',68,'tQh_T401QVkd8R_9TFQz6Dw',2,1,'key-5','explore',1,3,1794812007.401,0.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',69,'tUHaiGqVtrSKEj3P_W88mFA',2,1,'key-5','explore',1,3,1794812007.401,1.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',70,'t2NM1B8Uckv9S6OE0fk1KRw',1,2,'key-5','explore',1,3,1794812007.401,1.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',71,'tUdGDL_CqXzwAnCOq1mtgHA',2,1,'key-5','explore',1,3,1794812007.401,0.0,NULL,1794812007.405,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('20f45efefde2f03ea366c262',72,'tUeCrm48asoVJvRENhWs34g',2,1,'key-5','explore',1,3,1794812007.401,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
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
INSERT INTO "plans" VALUES('20f45efefde2f03ea366c262',1,0,'[[0,2,3],[0,3,3],[1,2,4],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,3],[1,2,4],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"assumptions":[],"budget":null}','{"version":1,"notes":{},"certified":null}',0,1794812007.3);
INSERT INTO "plans" VALUES('20f45efefde2f03ea366c262',2,2,'[[0,1,4],[1,2,1],[1,3,1]]','[[0,1,4],[1,3,1]]','{"pair":[0,2],"verdict":"not_yet","gap":0.9976017524365325,"estimated_reward":0.33333333333333337,"interval":[0.007664635044557611,0.9088717772370809],"phase":"explore","samples":20,"contenders":5,"assumptions":[],"budget":null}','{"version":2,"notes":{},"certified":null}',20,1794812007.359);
INSERT INTO "plans" VALUES('20f45efefde2f03ea366c262',3,3,'[[1,2,1]]','[[1,2,1]]','{"pair":[0,1],"verdict":"not_yet","gap":0.8631128841847775,"estimated_reward":0.375,"interval":[0.02344400808249958,0.8898111746823102],"phase":"explore","samples":31,"contenders":5,"assumptions":[],"budget":null}','{"version":3,"notes":{},"certified":null}',31,1794812007.377);
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('20f45efefde2f03ea366c262','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
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
INSERT INTO "sessions" VALUES('20f45efefde2f03ea366c262','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"attribution_window_seconds":0.0,"ticket_ttl_seconds":300.0,"missing_feedback":"void","seed":1}',X'ABF49F26A04CF9880D98411945BA79E8F3DB1C8CA289C955027CD2C3F0807387','running',NULL,3,3,1794812007.3,1794812007.377,72,0,31,31,73,36,1,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-0","ad-1"],"i":0,"j":1,"estimated_reward":0.375,"interval":[0.02344400808249958,0.8898111746823102],"gap":0.8631128841847775,"epsilon":0.2,"delta":0.05,"phase":"explore","samples":31,"contenders":5,"forecast_samples":null,"assumptions":[],"health":[],"plan_version":3,"updated_at":"2026-11-16T06:53:27.373+00:00"}','"c2934ca2ecf03b0b6f77064d6dc12431"','[]',0,1);
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('fb22d41f0aeb4eeea9434afe5191b49a',1794812007.291,1794812007.413);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_impressions_open ON impressions (session_id, sequence) WHERE epoch IS NULL;
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
COMMIT;
