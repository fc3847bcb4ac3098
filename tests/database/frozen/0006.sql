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
INSERT INTO "audit" VALUES(1,1794999621.381,'open access','create','a735f61859a752137609151c','{"name":"frozen","items":4}');
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
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',0,1,3,3,1.0,0,0,1);
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',0,1,4,11,4.0,0,0,1);
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',0,2,1,5,2.0,0,0,0);
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',0,2,3,8,7.0,0,0,0);
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',0,3,1,7,5.0,0,0,0);
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',1,2,1,2,2.0,0,0,2);
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',1,2,2,11,8.0,0,0,1);
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',1,3,1,4,2.0,0,0,0);
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',1,3,3,5,4.0,0,0,1);
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',2,3,1,4,2.0,0,0,0);
INSERT INTO "evidence" VALUES('a735f61859a752137609151c',2,3,3,6,2.0,0,0,0);
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
INSERT INTO "idempotency_keys" VALUES('a735f61859a752137609151c','next-pair/batch','key-0','digest','[["t1a1ee509718SNkXyTWNPXyak9ENeYcPXDS6",3,1,"explore",true,1],["t1a1ee5097180Qf_UYGk2YWqN6_vetqU6GcC",3,0,"explore",true,1],["t1a1ee509718a5ZEJf5SlsQyB7F5T7mClB_d",0,3,"explore",true,1],["t1a1ee5097181eXpm3vFm7IigdCp599QnAhC",0,3,"explore",true,1],["t1a1ee509718UmvAGwPjt2c7IbNjPuZbuncb",2,3,"explore",true,1],["t1a1ee509718CWYtLbhGLFalaVlxwNzfTsMc",2,0,"explore",true,1],["t1a1ee509718p8RFNHw4NsLmRGEcAOMKDF37",0,2,"explore",true,1],["t1a1ee509718_qC4qghzsJmitZtqYBx8GkOQ",1,2,"explore",true,1],["t1a1ee509718_Q8hpX_g8RA9TynFu6Ot7Tpg",0,3,"explore",true,1],["t1a1ee509718f4Z8NgkN1gTjHHKP8g114Ej6",0,2,"explore",true,1],["t1a1ee509718xDWeHjv7jJX9VFue4choEdt2",3,1,"explore",true,1],["t1a1ee509718p_Qdpw7BevYJuntQq-oQ8asT",2,1,"explore",true,1]]',1794999621.399);
INSERT INTO "idempotency_keys" VALUES('a735f61859a752137609151c','next-pair/batch','key-1','digest','[["t1a1ee509738sR0u9F9MLHt7y9V8ep5AdwbI",1,3,"explore",true,1],["t1a1ee509738YxIrN7i1tHer7mDpW6qISB5r",2,3,"explore",true,1],["t1a1ee509738IFDVi69HzweuyqpyJ_6WJeDr",1,2,"explore",true,1],["t1a1ee509738ha8eSEkRzUGmb0p2UHj7c0yc",2,3,"explore",true,1],["t1a1ee509738YG4fwBqo8GE31TsTzB-ejl_j",1,3,"explore",true,1],["t1a1ee509738pqhXoBh8pupuz7dO5Lpeg_JD",0,3,"explore",true,1],["t1a1ee509738NqjKghJguSU3SQ_akh8kP_Gy",3,0,"explore",true,1],["t1a1ee509738n3-WNraGx16GpCf6i0Z2OQQL",3,0,"explore",true,1],["t1a1ee509738FxPKVjulXpVTIich8Gn6QAYV",2,3,"explore",true,1],["t1a1ee509738mLwCrwWGzc0RqHElqx_eB6uG",2,0,"explore",true,1],["t1a1ee509738pR7LunBh0fh8FFreNH9B6ZvB",2,0,"explore",true,1],["t1a1ee509738_hxUWIv5-1RJ78sIYfnR2UPc",2,1,"explore",true,1]]',1794999621.432);
INSERT INTO "idempotency_keys" VALUES('a735f61859a752137609151c','next-pair/batch','key-2','digest','[["t1a1ee50974bzd3qDwLKa7PIocyqTAFmneys",1,2,"explore",true,2],["t1a1ee50974bdLiMMVtgIwler_JTErWIdEa3",2,1,"explore",true,2],["t1a1ee50974baRsIq-CNmdywoO-NIVVTw4uk",2,1,"explore",true,2],["t1a1ee50974bt9sNLmciDdMwdAhxpi08Ne5I",1,2,"explore",true,2],["t1a1ee50974b3mMPmSzmsUmMZ5EMP3gaWE7p",2,1,"explore",true,2],["t1a1ee50974bAnfF8OXAwQGmYA7n5Ey4Okwk",1,2,"explore",true,2],["t1a1ee50974bTbgK4szfrWDstMmUx6qsBhKd",2,1,"explore",true,2],["t1a1ee50974bkSQLqLIcrteZUHNjC727odjU",1,2,"explore",true,2],["t1a1ee50974bXbzLNknyXpYWAwJBJGVcyVsM",1,2,"explore",true,2],["t1a1ee50974bj6Y3uo8IoGP_47qSnirzEl2p",2,1,"explore",true,2],["t1a1ee50974b4yg6CDr1-O3iFt7Pm6r2DHDH",2,1,"explore",true,2],["t1a1ee50974bMFNDDEeYBiqpwSCNgQccK6YN",2,1,"explore",true,2]]',1794999621.451);
INSERT INTO "idempotency_keys" VALUES('a735f61859a752137609151c','next-pair/batch','key-3','digest','[["t1a1ee50975bd-HEeGAINTpLeQeisTLh2kvN",2,0,"explore",true,3],["t1a1ee50975bSdf5xJthnyaaNf_gQag8WQRU",0,1,"explore",true,3],["t1a1ee50975bn0GLfz1SIeLVthYVE-dl9tWW",0,2,"explore",true,3],["t1a1ee50975bStMyZEznunCQxDk69Yqm_QD0",2,0,"explore",true,3],["t1a1ee50975bcDLodiwTaemyqys_0lDevvzE",3,1,"explore",true,3],["t1a1ee50975bLx1M97eHrKPJud9RR5FGYrYZ",2,3,"explore",true,3],["t1a1ee50975bYfUJGYqM8x1czLQ29GEtXRFp",3,2,"explore",true,3],["t1a1ee50975bU8ZvO8DdFaUuADau7EuLpv1L",3,1,"explore",true,3],["t1a1ee50975bNPHCvvJo-QymH2mNAri-f4t-",1,0,"explore",true,3],["t1a1ee50975bu6jHDosSWjWSBpV5AE8mpkmy",3,2,"explore",true,3],["t1a1ee50975bg77PyNP5MBQbXQsRoQoYTtgR",0,2,"explore",true,3],["t1a1ee50975b-vfTEeKsmgmbcGqg9n9NGIWS",0,1,"explore",true,3]]',1794999621.467);
INSERT INTO "idempotency_keys" VALUES('a735f61859a752137609151c','next-pair/batch','key-4','digest','[["t1a1ee50975daCRV7XMByVDrOtO4Z8bwzw23",1,3,"explore",true,3],["t1a1ee50975dwUunm6OeSR0W_Jtg8VIGkAUJ",0,2,"explore",true,3],["t1a1ee50975dMetnvJrC5KS6ZXUQ3GozZNyM",1,3,"explore",true,3],["t1a1ee50975dPPQyawWrl58zVPopMHul-Mc9",2,3,"explore",true,3],["t1a1ee50975d6No09zp3362NTrSnLa3jZwYv",2,0,"explore",true,3],["t1a1ee50975dyIWcMLPgUtkrnZXVErabjqfM",0,1,"explore",true,3],["t1a1ee50975dPTgo7JXCMYfCEN4N3lVOpsUx",2,0,"explore",true,3],["t1a1ee50975deKuVJF8X0hcSahdvtdlSYEqa",2,0,"explore",true,3],["t1a1ee50975dz2H2weW3qtafs85CfHotTLsP",3,1,"explore",true,3],["t1a1ee50975d-fCwPwJr_JQCcYrpFYkUqrrM",2,3,"explore",true,3],["t1a1ee50975d_SVY_htgXEI_9kCZcxFkyCX0",3,2,"explore",true,3],["t1a1ee50975d0AIh3H-VaGuQhwyIci8zh4mz",1,3,"explore",true,3]]',1794999621.469);
INSERT INTO "idempotency_keys" VALUES('a735f61859a752137609151c','next-pair/batch','key-5','digest','[["t1a1ee50976a951xVGlPa7u1Pa0IBxQE_2fp",1,0,"explore",true,4],["t1a1ee50976aNtDOsJeJ3DHI8lYCh1CBxgeQ",1,0,"explore",true,4],["t1a1ee50976aJqYLTBMJ3gBVkr5jF_doFzt5",1,0,"explore",true,4],["t1a1ee50976adGT6D0xnoGcxsgHdexk4uqdu",1,0,"explore",true,4],["t1a1ee50976aZUocxwXGZO19H5O8SLkTHqT7",0,1,"explore",true,4],["t1a1ee50976a4Agcj1AjIEhi9w1kt5a5uWjk",1,0,"explore",true,4],["t1a1ee50976aWZiMtv-fX4Kg20SMTMDUmfSZ",1,0,"explore",true,4],["t1a1ee50976aI5apk07k6IWqWc3FgwgzK0q6",0,1,"explore",true,4],["t1a1ee50976avhd-CfgHPNY7NFFgr2y9sJwx",0,1,"explore",true,4],["t1a1ee50976aBrfGpDv18F4hlu92gFBH58Tr",1,0,"explore",true,4],["t1a1ee50976alG1l5d_p5zqu7_4nAUOMFbRF",0,1,"explore",true,4],["t1a1ee50976aedPuh7Ir-RFg90NvoaSAZOX3",1,0,"explore",true,4]]',1794999621.482);
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
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',1,'t1a1ee509718SNkXyTWNPXyak9ENeYcPXDS6',3,1,'key-0','explore',1,1,1794999621.399,1.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',2,'t1a1ee5097180Qf_UYGk2YWqN6_vetqU6GcC',3,0,'key-0','explore',1,1,1794999621.399,0.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',3,'t1a1ee509718a5ZEJf5SlsQyB7F5T7mClB_d',0,3,'key-0','explore',1,1,1794999621.399,0.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',4,'t1a1ee5097181eXpm3vFm7IigdCp599QnAhC',0,3,'key-0','explore',1,1,1794999621.399,1.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',5,'t1a1ee509718UmvAGwPjt2c7IbNjPuZbuncb',2,3,'key-0','explore',1,1,1794999621.399,1.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',6,'t1a1ee509718CWYtLbhGLFalaVlxwNzfTsMc',2,0,'key-0','explore',1,1,1794999621.399,0.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',7,'t1a1ee509718p8RFNHw4NsLmRGEcAOMKDF37',0,2,'key-0','explore',1,1,1794999621.399,1.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',8,'t1a1ee509718_qC4qghzsJmitZtqYBx8GkOQ',1,2,'key-0','explore',1,1,1794999621.399,0.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',9,'t1a1ee509718_Q8hpX_g8RA9TynFu6Ot7Tpg',0,3,'key-0','explore',1,1,1794999621.399,0.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',10,'t1a1ee509718f4Z8NgkN1gTjHHKP8g114Ej6',0,2,'key-0','explore',1,1,1794999621.399,1.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',11,'t1a1ee509718xDWeHjv7jJX9VFue4choEdt2',3,1,'key-0','explore',1,1,1794999621.399,0.0,NULL,1794999621.411,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',12,'t1a1ee509718p_Qdpw7BevYJuntQq-oQ8asT',2,1,'key-0','explore',1,1,1794999619.399,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',13,'t1a1ee509738sR0u9F9MLHt7y9V8ep5AdwbI',1,3,'key-1','explore',1,1,1794999621.432,0.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',14,'t1a1ee509738YxIrN7i1tHer7mDpW6qISB5r',2,3,'key-1','explore',1,1,1794999621.432,0.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',15,'t1a1ee509738IFDVi69HzweuyqpyJ_6WJeDr',1,2,'key-1','explore',1,1,1794999621.432,0.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',16,'t1a1ee509738ha8eSEkRzUGmb0p2UHj7c0yc',2,3,'key-1','explore',1,1,1794999621.432,1.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',17,'t1a1ee509738YG4fwBqo8GE31TsTzB-ejl_j',1,3,'key-1','explore',1,1,1794999621.432,1.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',18,'t1a1ee509738pqhXoBh8pupuz7dO5Lpeg_JD',0,3,'key-1','explore',1,1,1794999621.432,1.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',19,'t1a1ee509738NqjKghJguSU3SQ_akh8kP_Gy',3,0,'key-1','explore',1,1,1794999621.432,0.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',20,'t1a1ee509738n3-WNraGx16GpCf6i0Z2OQQL',3,0,'key-1','explore',1,1,1794999621.432,0.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',21,'t1a1ee509738FxPKVjulXpVTIich8Gn6QAYV',2,3,'key-1','explore',1,1,1794999621.432,0.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',22,'t1a1ee509738mLwCrwWGzc0RqHElqx_eB6uG',2,0,'key-1','explore',1,1,1794999621.432,1.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',23,'t1a1ee509738pR7LunBh0fh8FFreNH9B6ZvB',2,0,'key-1','explore',1,1,1794999621.432,0.0,NULL,1794999621.435,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',24,'t1a1ee509738_hxUWIv5-1RJ78sIYfnR2UPc',2,1,'key-1','explore',1,1,1794999619.432,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',25,'t1a1ee50974bzd3qDwLKa7PIocyqTAFmneys',1,2,'key-2','explore',1,2,1794999621.451,1.0,NULL,1794999621.453,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',26,'t1a1ee50974bdLiMMVtgIwler_JTErWIdEa3',2,1,'key-2','explore',1,2,1794999621.451,0.0,NULL,1794999621.452,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',27,'t1a1ee50974baRsIq-CNmdywoO-NIVVTw4uk',2,1,'key-2','explore',1,2,1794999621.451,1.0,NULL,1794999621.453,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',28,'t1a1ee50974bt9sNLmciDdMwdAhxpi08Ne5I',1,2,'key-2','explore',1,2,1794999621.451,1.0,NULL,1794999621.453,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',29,'t1a1ee50974b3mMPmSzmsUmMZ5EMP3gaWE7p',2,1,'key-2','explore',1,2,1794999621.451,0.0,NULL,1794999621.452,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',30,'t1a1ee50974bAnfF8OXAwQGmYA7n5Ey4Okwk',1,2,'key-2','explore',1,2,1794999621.451,0.0,NULL,1794999621.452,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',31,'t1a1ee50974bTbgK4szfrWDstMmUx6qsBhKd',2,1,'key-2','explore',1,2,1794999621.451,0.0,NULL,1794999621.452,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',32,'t1a1ee50974bkSQLqLIcrteZUHNjC727odjU',1,2,'key-2','explore',1,2,1794999621.451,0.0,NULL,1794999621.452,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',33,'t1a1ee50974bXbzLNknyXpYWAwJBJGVcyVsM',1,2,'key-2','explore',1,2,1794999621.451,0.0,NULL,1794999621.452,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',34,'t1a1ee50974bj6Y3uo8IoGP_47qSnirzEl2p',2,1,'key-2','explore',1,2,1794999621.451,0.0,NULL,1794999621.452,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',35,'t1a1ee50974b4yg6CDr1-O3iFt7Pm6r2DHDH',2,1,'key-2','explore',1,2,1794999621.451,0.0,NULL,1794999621.452,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',36,'t1a1ee50974bMFNDDEeYBiqpwSCNgQccK6YN',2,1,'key-2','explore',1,2,1794999619.451,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',37,'t1a1ee50975bd-HEeGAINTpLeQeisTLh2kvN',2,0,'key-3','explore',1,3,1794999621.467,0.0,NULL,1794999621.467,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',38,'t1a1ee50975bSdf5xJthnyaaNf_gQag8WQRU',0,1,'key-3','explore',1,3,1794999621.467,0.0,NULL,1794999621.467,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',39,'t1a1ee50975bn0GLfz1SIeLVthYVE-dl9tWW',0,2,'key-3','explore',1,3,1794999621.467,0.0,NULL,1794999621.467,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',40,'t1a1ee50975bStMyZEznunCQxDk69Yqm_QD0',2,0,'key-3','explore',1,3,1794999621.467,0.0,NULL,1794999621.467,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',41,'t1a1ee50975bcDLodiwTaemyqys_0lDevvzE',3,1,'key-3','explore',1,3,1794999621.467,0.0,NULL,1794999621.467,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',42,'t1a1ee50975bLx1M97eHrKPJud9RR5FGYrYZ',2,3,'key-3','explore',1,3,1794999621.467,0.0,NULL,1794999621.467,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',43,'t1a1ee50975bYfUJGYqM8x1czLQ29GEtXRFp',3,2,'key-3','explore',1,3,1794999621.467,1.0,NULL,1794999621.468,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',44,'t1a1ee50975bU8ZvO8DdFaUuADau7EuLpv1L',3,1,'key-3','explore',1,3,1794999621.467,0.0,NULL,1794999621.467,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',45,'t1a1ee50975bNPHCvvJo-QymH2mNAri-f4t-',1,0,'key-3','explore',1,3,1794999621.467,1.0,NULL,1794999621.468,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',46,'t1a1ee50975bu6jHDosSWjWSBpV5AE8mpkmy',3,2,'key-3','explore',1,3,1794999621.467,1.0,NULL,1794999621.468,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',47,'t1a1ee50975bg77PyNP5MBQbXQsRoQoYTtgR',0,2,'key-3','explore',1,3,1794999621.467,0.0,NULL,1794999621.467,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',48,'t1a1ee50975b-vfTEeKsmgmbcGqg9n9NGIWS',0,1,'key-3','explore',1,3,1794999619.467,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',49,'t1a1ee50975daCRV7XMByVDrOtO4Z8bwzw23',1,3,'key-4','explore',1,3,1794999621.469,0.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',50,'t1a1ee50975dwUunm6OeSR0W_Jtg8VIGkAUJ',0,2,'key-4','explore',1,3,1794999621.469,0.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',51,'t1a1ee50975dMetnvJrC5KS6ZXUQ3GozZNyM',1,3,'key-4','explore',1,3,1794999621.469,0.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',52,'t1a1ee50975dPPQyawWrl58zVPopMHul-Mc9',2,3,'key-4','explore',1,3,1794999621.469,1.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',53,'t1a1ee50975d6No09zp3362NTrSnLa3jZwYv',2,0,'key-4','explore',1,3,1794999621.469,0.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',54,'t1a1ee50975dyIWcMLPgUtkrnZXVErabjqfM',0,1,'key-4','explore',1,3,1794999621.469,1.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',55,'t1a1ee50975dPTgo7JXCMYfCEN4N3lVOpsUx',2,0,'key-4','explore',1,3,1794999621.469,1.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',56,'t1a1ee50975deKuVJF8X0hcSahdvtdlSYEqa',2,0,'key-4','explore',1,3,1794999621.469,0.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',57,'t1a1ee50975dz2H2weW3qtafs85CfHotTLsP',3,1,'key-4','explore',1,3,1794999621.469,1.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',58,'t1a1ee50975d-fCwPwJr_JQCcYrpFYkUqrrM',2,3,'key-4','explore',1,3,1794999621.469,1.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',59,'t1a1ee50975d_SVY_htgXEI_9kCZcxFkyCX0',3,2,'key-4','explore',1,3,1794999621.469,0.0,NULL,1794999621.469,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',60,'t1a1ee50975d0AIh3H-VaGuQhwyIci8zh4mz',1,3,'key-4','explore',1,3,1794999619.469,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',61,'t1a1ee50976a951xVGlPa7u1Pa0IBxQE_2fp',1,0,'key-5','explore',1,4,1794999621.482,1.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',62,'t1a1ee50976aNtDOsJeJ3DHI8lYCh1CBxgeQ',1,0,'key-5','explore',1,4,1794999621.482,0.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',63,'t1a1ee50976aJqYLTBMJ3gBVkr5jF_doFzt5',1,0,'key-5','explore',1,4,1794999621.482,0.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',64,'t1a1ee50976adGT6D0xnoGcxsgHdexk4uqdu',1,0,'key-5','explore',1,4,1794999621.482,1.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',65,'t1a1ee50976aZUocxwXGZO19H5O8SLkTHqT7',0,1,'key-5','explore',1,4,1794999621.482,1.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',66,'t1a1ee50976a4Agcj1AjIEhi9w1kt5a5uWjk',1,0,'key-5','explore',1,4,1794999621.482,0.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',67,'t1a1ee50976aWZiMtv-fX4Kg20SMTMDUmfSZ',1,0,'key-5','explore',1,4,1794999621.482,1.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',68,'t1a1ee50976aI5apk07k6IWqWc3FgwgzK0q6',0,1,'key-5','explore',1,4,1794999621.482,1.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',69,'t1a1ee50976avhd-CfgHPNY7NFFgr2y9sJwx',0,1,'key-5','explore',1,4,1794999621.482,0.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',70,'t1a1ee50976aBrfGpDv18F4hlu92gFBH58Tr',1,0,'key-5','explore',1,4,1794999621.482,1.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',71,'t1a1ee50976alG1l5d_p5zqu7_4nAUOMFbRF',0,1,'key-5','explore',1,4,1794999621.482,1.0,NULL,1794999621.483,0,0,NULL,NULL,NULL,NULL,0);
INSERT INTO "impressions" VALUES('a735f61859a752137609151c',72,'t1a1ee50976aedPuh7Ir-RFg90NvoaSAZOX3',1,0,'key-5','explore',1,4,1794999619.482,NULL,NULL,NULL,0,1,NULL,NULL,NULL,NULL,1);
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
INSERT INTO "plans" VALUES('a735f61859a752137609151c',1,0,'[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,2,null,0.0,1.0,0],[0,3,null,0.0,1.0,0],[1,2,null,0.0,1.0,0],[1,3,null,0.0,1.0,0],[2,3,null,0.0,1.0,0]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":1,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',0,1794999621.381,'426ea24d07de3a606c8c2279',0,'edc36981213656cdd183632f73d6fd803f0f710773040eeb4441b320d40ea00b','');
INSERT INTO "plans" VALUES('a735f61859a752137609151c',2,0,'[[1,2,2]]','[[1,2,2]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":11,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,1,null,0.0,1.0,0],[2,3,1.0,0.004166666666662544,1.0,1],[1,3,0.5,0.0010427540025754745,0.9989572459974245,2],[1,2,0.0,0.0,0.9958333333333375,1],[0,3,0.25,0.0003258392431972901,0.9295132087095768,4]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":2,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',22,1794999621.45,'0754f2d882ad248390cb9338',11,'4306f54aa43a059c0f514aac93797d19855a680a633b5a53248fccc69c81a2cc','{"i":[0,0,1,1,2],"j":[2,3,2,3,3],"version":[1,1,1,1,1],"n":[2,3,1,2,3],"s":[1.0,2.0,1.0,1.0,2.0],"clicks_i":[0,0,0,0,0],"clicks_j":[0,0,0,0,0]}');
INSERT INTO "plans" VALUES('a735f61859a752137609151c',3,0,'[[0,1,3],[0,2,5],[1,3,4],[2,3,4]]','[[0,1,3],[0,2,5],[1,3,4],[2,3,4]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"refine","samples":11,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,1,null,0.0,1.0,0],[2,3,1.0,0.004166666666662544,1.0,1],[1,3,0.5,0.0010427540025754745,0.9989572459974245,2],[1,2,0.0,0.0,0.9958333333333375,1],[0,3,0.25,0.0003258392431972901,0.9295132087095768,4]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":3,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',33,1794999621.462,'cac61f88a0db141fe3c34145',11,'4306f54aa43a059c0f514aac93797d19855a680a633b5a53248fccc69c81a2cc','{"i":[0,0,1,1,1,2],"j":[2,3,2,2,3,3],"version":[1,1,1,2,1,1],"n":[2,3,1,11,2,3],"s":[1.0,2.0,1.0,8.0,1.0,2.0],"clicks_i":[0,0,0,0,0,0],"clicks_j":[0,0,0,0,0,0]}');
INSERT INTO "plans" VALUES('a735f61859a752137609151c',4,0,'[[0,1,1]]','[[0,1,1]]','{"pair":[2,3],"verdict":"not_yet","gap":0.9995833333333337,"estimated_reward":1.0,"interval":[0.004166666666662544,1.0],"phase":"explore","samples":11,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,1,null,0.0,1.0,0],[2,3,1.0,0.004166666666662544,1.0,1],[1,3,0.5,0.0010427540025754745,0.9989572459974245,2],[1,2,0.0,0.0,0.9958333333333375,1],[0,3,0.25,0.0003258392431972901,0.9295132087095768,4]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":4,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',55,1794999621.481,'ed50d8084d92faf8eb5f1d7b',11,'4306f54aa43a059c0f514aac93797d19855a680a633b5a53248fccc69c81a2cc','{"i":[0,0,0,0,1,1,1,1,2,2],"j":[1,2,2,3,2,2,3,3,3,3],"version":[3,1,3,1,1,2,1,3,1,3],"n":[3,2,8,3,1,11,2,5,3,6],"s":[1.0,1.0,7.0,2.0,1.0,8.0,1.0,4.0,2.0,2.0],"clicks_i":[0,0,0,0,0,0,0,0,0,0],"clicks_j":[0,0,0,0,0,0,0,0,0,0]}');
INSERT INTO "plans" VALUES('a735f61859a752137609151c',5,0,'[[0,1,3],[0,3,3],[2,3,10]]','[[0,1,1],[0,3,3],[2,3,10]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"refine","samples":11,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,1,null,0.0,1.0,0],[2,3,1.0,0.004166666666662544,1.0,1],[1,3,0.5,0.0010427540025754745,0.9989572459974245,2],[1,2,0.0,0.0,0.9958333333333375,1],[0,3,0.25,0.0003258392431972901,0.9295132087095768,4]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":5,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"outlooks":[]},"certified":null}',66,1794999621.493,'2b3a19068f04d28e48ba49db',11,'4306f54aa43a059c0f514aac93797d19855a680a633b5a53248fccc69c81a2cc','{"i":[0,0,0,0,0,1,1,1,1,2,2],"j":[1,1,2,2,3,2,2,3,3,3,3],"version":[3,4,1,3,1,1,2,1,3,1,3],"n":[3,11,2,8,3,1,11,2,5,3,6],"s":[1.0,4.0,1.0,7.0,2.0,1.0,8.0,1.0,4.0,2.0,2.0],"clicks_i":[0,0,0,0,0,0,0,0,0,0,0],"clicks_j":[0,0,0,0,0,0,0,0,0,0,0]}');
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('a735f61859a752137609151c','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
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
INSERT INTO "sessions" VALUES('a735f61859a752137609151c','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"while_waiting":"explore","attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'60CC090E9A5F6AB6DD79DC6F86EBBDE46525710C0FD85F7DAF2BC43B18D60EDA','running',NULL,5,1794999621.381,1794999621.493,72,6,66,66,73,0,14,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-0","ad-1"],"i":0,"j":1,"estimated_reward":null,"interval":[0.0,1.0],"gap":1.0,"epsilon":0.2,"delta":0.05,"phase":"refine","samples":11,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"health":[],"plan_version":5,"updated_at":"2026-11-18T11:00:21.490+00:00"}','"f980eac99e7cef97115793189ff87aef"','[]',0,1,'2b3a19068f04d28e48ba49db',0,0.0,'{"notes":""}',72,'af8633b564bb3ded678db92a133aa523f1fa1ff5ca517b03277d4ba205be7930',1,'{"clicks":[27],"others":[39],"slowest":[null,null],"lost":6}');
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, beats BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('be3a11b5aee44c69bab16525813f1fa7',1794999621.36,1794999621.503,2);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
CREATE INDEX ix_impressions_late ON impressions (session_id, sequence) WHERE late_outcome IS NOT NULL;
COMMIT;
