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
INSERT INTO "audit" VALUES(1,1794967169.526,'open access','create','2c99adf91c794430b613ffc3','{"name":"frozen","items":4}');
CREATE TABLE bestpair_revision (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT bestpair_revision_pkc PRIMARY KEY (version_num)
);
INSERT INTO "bestpair_revision" VALUES('0004');
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
INSERT INTO "evidence" VALUES('2c99adf91c794430b613ffc3',0,2,1,5,4.0,0,0,2,0);
INSERT INTO "evidence" VALUES('2c99adf91c794430b613ffc3',0,3,1,7,5.0,0,0,2,0);
INSERT INTO "evidence" VALUES('2c99adf91c794430b613ffc3',1,2,1,2,2.0,0,0,3,2);
INSERT INTO "evidence" VALUES('2c99adf91c794430b613ffc3',1,2,2,44,31.0,0,0,3,4);
INSERT INTO "evidence" VALUES('2c99adf91c794430b613ffc3',1,3,1,4,2.0,0,0,2,0);
INSERT INTO "evidence" VALUES('2c99adf91c794430b613ffc3',2,3,1,4,3.0,0,0,2,0);
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
INSERT INTO "idempotency_keys" VALUES('2c99adf91c794430b613ffc3','next-pair/batch','key-0','digest','[["t1a1ec616a4dlfpTjppwsD8c8eIydKhFt2-u",3,1,"explore",true,1],["t1a1ec616a4dIy-tB7c4A3WCZpHkEvu7NQ_z",3,0,"explore",true,1],["t1a1ec616a4dBQOazqriokPqkkSbqWL6UdDp",0,3,"explore",true,1],["t1a1ec616a4dJH_gfRtQ21v50EA923Io5gLN",0,3,"explore",true,1],["t1a1ec616a4dmm3t9b-cVxx0fhc7g6K8s02G",2,3,"explore",true,1],["t1a1ec616a4eRGLgBgsdNbAGXY_SR603fnId",2,0,"explore",true,1],["t1a1ec616a4e9Fqov45VVk7nvGlTZ8D4hXVc",2,0,"explore",true,1],["t1a1ec616a4e0nah_KfV9EfLbet_ML_UetFD",1,2,"explore",true,1],["t1a1ec616a4ebDJr_EoXwwM5N6fVminUwH6h",3,0,"explore",true,1],["t1a1ec616a4edd5yuUtR2Oxje22HxwmQBYLE",2,0,"explore",true,1],["t1a1ec616a4e6-7b_hRqEbn7_2ArrpSTtwP3",1,3,"explore",true,1],["t1a1ec616a4ey9iXL1r2XRybsBXKV3hbKU-u",1,2,"explore",true,1]]',1794967169.604);
INSERT INTO "idempotency_keys" VALUES('2c99adf91c794430b613ffc3','next-pair/batch','key-1','digest','[["t1a1ec616a8caPt_bojheg7l07-7PnoQYj4n",1,3,"explore",true,1],["t1a1ec616a8ct9SMHUfSBP5iu9asjAqRD8ui",3,2,"explore",true,1],["t1a1ec616a8c6XzREOM0zBOXl8tcjppaLN2S",2,1,"explore",true,1],["t1a1ec616a8cdkPjKXvjX5OhRgVJuv32Wjia",3,2,"explore",true,1],["t1a1ec616a8cCR-oNBbhgzG7py0gVmbazrs6",1,3,"explore",true,1],["t1a1ec616a8cXmRDvqaOZP-0Hao9ebuSlQyd",0,3,"explore",true,1],["t1a1ec616a8c-g4XouTPLOZfp9ZDnorTOGQe",3,0,"explore",true,1],["t1a1ec616a8cxBKe0ggmPItuuZ3P9BCBuZ3P",0,3,"explore",true,1],["t1a1ec616a8cEJ5_RGlYy3w-OIaiwsVZQNpt",2,3,"explore",true,1],["t1a1ec616a8cSyEWjzEb2NH4KLOr7WjQhKjf",2,0,"explore",true,1],["t1a1ec616a8cFKnaLuU6dhSRWtaGxGfzssNG",0,2,"explore",true,1],["t1a1ec616a8cZfwS76-SH0Q7u4oAzMLiOLJD",1,2,"explore",true,1]]',1794967169.675);
INSERT INTO "idempotency_keys" VALUES('2c99adf91c794430b613ffc3','next-pair/batch','key-2','digest','[["t1a1ec616acaafb8Xm_zmNUwoOCJJUNERuW1",1,2,"explore",true,2],["t1a1ec616acakOhir0FBthPJgjvd1rZOlYZ1",1,2,"explore",true,2],["t1a1ec616acagUu9cqy1lMCcpH3v7yyJW8C6",1,2,"explore",true,2],["t1a1ec616acaWCaR3J1dZkCgYuqCR6NEM6Xa",1,2,"explore",true,2],["t1a1ec616acaocRPws-sR6_tUL6mZqSYzV56",2,1,"explore",true,2],["t1a1ec616acaNnETyz5dBjlFAJWs2BTJS-MC",1,2,"explore",true,2],["t1a1ec616acaEUGy4z2kQLMxf5_TNNRHhRNz",1,2,"explore",true,2],["t1a1ec616acag371mOB_9Bezp016WifcPOj0",2,1,"explore",true,2],["t1a1ec616acaXOItZ1YL8GNqBhqiQg8RSiab",2,1,"explore",true,2],["t1a1ec616acaMV7hsZlfsT-eG_V1GLlVt_ZA",2,1,"explore",true,2],["t1a1ec616acaErXcsumUrfhHSL0l2IbZrm8g",2,1,"explore",true,2],["t1a1ec616acaysUvuaohgxoKzdsPYHwjlnBN",1,2,"explore",true,2]]',1794967169.737);
INSERT INTO "idempotency_keys" VALUES('2c99adf91c794430b613ffc3','next-pair/batch','key-3','digest','[["t1a1ec616ad73_iy1zAjHzZb7PSNMiKYwHTX",2,1,"explore",true,2],["t1a1ec616ad7E1v1nOkzkn1g5eCmciZ9yo9X",1,2,"explore",true,2],["t1a1ec616ad7M9Ps1vk-M4wdcgilXc48PlLo",2,1,"explore",true,2],["t1a1ec616ad7jcUcK9bAWs1ehyM05z7gG6sQ",1,2,"explore",true,2],["t1a1ec616ad7NN_n9KIhQNiJdjCj5wVqSn_s",1,2,"explore",true,2],["t1a1ec616ad7k-OWVQvHd7kMRJh5YR4l27oR",1,2,"explore",true,2],["t1a1ec616ad7Mt6PevYxE4kyBV94FdMpX7Jv",1,2,"explore",true,2],["t1a1ec616ad7TjqTbHOXvClZrqqvmYpHHgjo",2,1,"explore",true,2],["t1a1ec616ad7yZ0b-yEaN5XXkiIrIaFDManI",1,2,"explore",true,2],["t1a1ec616ad7uUrqhOHHJq7jBlJx2pddz4bm",1,2,"explore",true,2],["t1a1ec616ad7_z0JvF6kBdctxlWJ-g6H3UqB",1,2,"explore",true,2],["t1a1ec616ad7Pr077V6POcXl5UE31RrMKMIn",1,2,"explore",true,2]]',1794967169.751);
INSERT INTO "idempotency_keys" VALUES('2c99adf91c794430b613ffc3','next-pair/batch','key-4','digest','[["t1a1ec616af5SCr78TapNQtmtA6FpQJKw1Hv",2,1,"explore",true,2],["t1a1ec616af65LUOkh1IjAzt2VEpokBqBcM_",1,2,"explore",true,2],["t1a1ec616af6Zy0CS6YAIyNS4otouV15XWZR",1,2,"explore",true,2],["t1a1ec616af6fuX1la0O65pqEeCyOD50Gom6",1,2,"explore",true,2],["t1a1ec616af6Y1hDXYr36vCoXNA6pwhDmOfn",1,2,"explore",true,2],["t1a1ec616af6WvIoJl9IR39drPBnCpb5i_EB",2,1,"explore",true,2],["t1a1ec616af6_IoBl5bNgZMtHYSEhNeWvtt_",1,2,"explore",true,2],["t1a1ec616af6CHk57q9x2FbWUZROTGsVwrDi",1,2,"explore",true,2],["t1a1ec616af6dzJaZu51xEyeQCmW-3Qfej4N",1,2,"explore",true,2],["t1a1ec616af6q7kj4cbhcTOxps2MMdGe50y0",1,2,"explore",true,2],["t1a1ec616af6Lfm1PZpu7TFHm1Bp8bvH9nt6",2,1,"explore",true,2],["t1a1ec616af6aykB_t36SWL9EElR6J_iy1vy",1,2,"explore",true,2]]',1794967169.781);
INSERT INTO "idempotency_keys" VALUES('2c99adf91c794430b613ffc3','next-pair/batch','key-5','digest','[["t1a1ec616b03QGxAh8x5vNtYzvxCAWZ6pRl6",1,2,"explore",true,2],["t1a1ec616b03BS2WxsQUn8gyeuwU2wQohGU5",1,2,"explore",true,2],["t1a1ec616b03c8R1LWKP0zBFiMKUgfwtbpe0",1,2,"explore",true,2],["t1a1ec616b03YjfeNW62vrIBtNNVhT2vZJuD",2,1,"explore",true,2],["t1a1ec616b03nIVMCpmU7Y_fAzXvsM1j8D0y",2,1,"explore",true,2],["t1a1ec616b03V6r_o0HRkU_4oPSwQ4-2RAeI",1,2,"explore",true,2],["t1a1ec616b03r4dQ9_N6STpo4whqfPuHxcD8",2,1,"explore",true,2],["t1a1ec616b03QX7gdNb0b--9j-tAsJtFOh4q",1,2,"explore",true,2],["t1a1ec616b03l-VVvgVgbCLNXgRCDW2_F_MV",1,2,"explore",true,2],["t1a1ec616b033rAfBc-NFhvececyzdDy3RIR",1,2,"explore",true,2],["t1a1ec616b03LTmAYNa8YF6rCnnN0QKcCOrH",1,2,"explore",true,2],["t1a1ec616b03AGTcJyF5nJrDXan8tOZCqyNx",1,2,"explore",true,2]]',1794967169.795);
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
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',1,'t1a1ec616a4dlfpTjppwsD8c8eIydKhFt2-u',3,1,'key-0','explore',1,1,1794967167.604,1.0,NULL,1794967169.631,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',2,'t1a1ec616a4dIy-tB7c4A3WCZpHkEvu7NQ_z',3,0,'key-0','explore',1,1,1794967167.604,0.0,NULL,1794967169.625,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',3,'t1a1ec616a4dBQOazqriokPqkkSbqWL6UdDp',0,3,'key-0','explore',1,1,1794967167.604,0.0,NULL,1794967169.625,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',4,'t1a1ec616a4dJH_gfRtQ21v50EA923Io5gLN',0,3,'key-0','explore',1,1,1794967167.604,1.0,NULL,1794967169.631,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',5,'t1a1ec616a4dmm3t9b-cVxx0fhc7g6K8s02G',2,3,'key-0','explore',1,1,1794967167.604,1.0,NULL,1794967169.631,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',6,'t1a1ec616a4eRGLgBgsdNbAGXY_SR603fnId',2,0,'key-0','explore',1,1,1794967167.604,0.0,NULL,1794967169.625,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',7,'t1a1ec616a4e9Fqov45VVk7nvGlTZ8D4hXVc',2,0,'key-0','explore',1,1,1794967167.604,0.0,NULL,1794967169.625,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',8,'t1a1ec616a4e0nah_KfV9EfLbet_ML_UetFD',1,2,'key-0','explore',1,1,1794967167.604,0.0,NULL,1794967169.625,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',9,'t1a1ec616a4ebDJr_EoXwwM5N6fVminUwH6h',3,0,'key-0','explore',1,1,1794967167.604,0.0,NULL,1794967169.625,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',10,'t1a1ec616a4edd5yuUtR2Oxje22HxwmQBYLE',2,0,'key-0','explore',1,1,1794967167.604,0.0,NULL,1794967169.625,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',11,'t1a1ec616a4e6-7b_hRqEbn7_2ArrpSTtwP3',1,3,'key-0','explore',1,1,1794967167.604,0.0,NULL,1794967169.625,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',12,'t1a1ec616a4ey9iXL1r2XRybsBXKV3hbKU-u',1,2,'key-0','explore',1,1,1794967167.604,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',13,'t1a1ec616a8caPt_bojheg7l07-7PnoQYj4n',1,3,'key-1','explore',1,1,1794967167.675,0.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',14,'t1a1ec616a8ct9SMHUfSBP5iu9asjAqRD8ui',3,2,'key-1','explore',1,1,1794967167.675,0.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',15,'t1a1ec616a8c6XzREOM0zBOXl8tcjppaLN2S',2,1,'key-1','explore',1,1,1794967167.675,0.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',16,'t1a1ec616a8cdkPjKXvjX5OhRgVJuv32Wjia',3,2,'key-1','explore',1,1,1794967167.675,0.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',17,'t1a1ec616a8cCR-oNBbhgzG7py0gVmbazrs6',1,3,'key-1','explore',1,1,1794967167.675,1.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',18,'t1a1ec616a8cXmRDvqaOZP-0Hao9ebuSlQyd',0,3,'key-1','explore',1,1,1794967167.675,1.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',19,'t1a1ec616a8c-g4XouTPLOZfp9ZDnorTOGQe',3,0,'key-1','explore',1,1,1794967167.675,0.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',20,'t1a1ec616a8cxBKe0ggmPItuuZ3P9BCBuZ3P',0,3,'key-1','explore',1,1,1794967167.675,0.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',21,'t1a1ec616a8cEJ5_RGlYy3w-OIaiwsVZQNpt',2,3,'key-1','explore',1,1,1794967167.675,0.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',22,'t1a1ec616a8cSyEWjzEb2NH4KLOr7WjQhKjf',2,0,'key-1','explore',1,1,1794967167.675,1.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',23,'t1a1ec616a8cFKnaLuU6dhSRWtaGxGfzssNG',0,2,'key-1','explore',1,1,1794967167.675,0.0,NULL,1794967169.679,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',24,'t1a1ec616a8cZfwS76-SH0Q7u4oAzMLiOLJD',1,2,'key-1','explore',1,1,1794967167.675,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',25,'t1a1ec616acaafb8Xm_zmNUwoOCJJUNERuW1',1,2,'key-2','explore',1,2,1794967167.737,1.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',26,'t1a1ec616acakOhir0FBthPJgjvd1rZOlYZ1',1,2,'key-2','explore',1,2,1794967167.737,0.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',27,'t1a1ec616acagUu9cqy1lMCcpH3v7yyJW8C6',1,2,'key-2','explore',1,2,1794967167.737,0.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',28,'t1a1ec616acaWCaR3J1dZkCgYuqCR6NEM6Xa',1,2,'key-2','explore',1,2,1794967167.737,1.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',29,'t1a1ec616acaocRPws-sR6_tUL6mZqSYzV56',2,1,'key-2','explore',1,2,1794967167.737,0.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',30,'t1a1ec616acaNnETyz5dBjlFAJWs2BTJS-MC',1,2,'key-2','explore',1,2,1794967167.737,0.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',31,'t1a1ec616acaEUGy4z2kQLMxf5_TNNRHhRNz',1,2,'key-2','explore',1,2,1794967167.737,1.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',32,'t1a1ec616acag371mOB_9Bezp016WifcPOj0',2,1,'key-2','explore',1,2,1794967167.737,0.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',33,'t1a1ec616acaXOItZ1YL8GNqBhqiQg8RSiab',2,1,'key-2','explore',1,2,1794967167.737,1.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',34,'t1a1ec616acaMV7hsZlfsT-eG_V1GLlVt_ZA',2,1,'key-2','explore',1,2,1794967167.737,0.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',35,'t1a1ec616acaErXcsumUrfhHSL0l2IbZrm8g',2,1,'key-2','explore',1,2,1794967167.737,0.0,NULL,1794967169.744,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',36,'t1a1ec616acaysUvuaohgxoKzdsPYHwjlnBN',1,2,'key-2','explore',1,2,1794967167.737,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',37,'t1a1ec616ad73_iy1zAjHzZb7PSNMiKYwHTX',2,1,'key-3','explore',1,2,1794967167.751,0.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',38,'t1a1ec616ad7E1v1nOkzkn1g5eCmciZ9yo9X',1,2,'key-3','explore',1,2,1794967167.751,0.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',39,'t1a1ec616ad7M9Ps1vk-M4wdcgilXc48PlLo',2,1,'key-3','explore',1,2,1794967167.751,0.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',40,'t1a1ec616ad7jcUcK9bAWs1ehyM05z7gG6sQ',1,2,'key-3','explore',1,2,1794967167.751,0.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',41,'t1a1ec616ad7NN_n9KIhQNiJdjCj5wVqSn_s',1,2,'key-3','explore',1,2,1794967167.751,0.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',42,'t1a1ec616ad7k-OWVQvHd7kMRJh5YR4l27oR',1,2,'key-3','explore',1,2,1794967167.751,1.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',43,'t1a1ec616ad7Mt6PevYxE4kyBV94FdMpX7Jv',1,2,'key-3','explore',1,2,1794967167.751,0.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',44,'t1a1ec616ad7TjqTbHOXvClZrqqvmYpHHgjo',2,1,'key-3','explore',1,2,1794967167.751,1.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',45,'t1a1ec616ad7yZ0b-yEaN5XXkiIrIaFDManI',1,2,'key-3','explore',1,2,1794967167.751,1.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',46,'t1a1ec616ad7uUrqhOHHJq7jBlJx2pddz4bm',1,2,'key-3','explore',1,2,1794967167.751,0.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',47,'t1a1ec616ad7_z0JvF6kBdctxlWJ-g6H3UqB',1,2,'key-3','explore',1,2,1794967167.751,0.0,NULL,1794967169.758,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',48,'t1a1ec616ad7Pr077V6POcXl5UE31RrMKMIn',1,2,'key-3','explore',1,2,1794967167.751,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',49,'t1a1ec616af5SCr78TapNQtmtA6FpQJKw1Hv',2,1,'key-4','explore',1,2,1794967167.781,1.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',50,'t1a1ec616af65LUOkh1IjAzt2VEpokBqBcM_',1,2,'key-4','explore',1,2,1794967167.781,1.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',51,'t1a1ec616af6Zy0CS6YAIyNS4otouV15XWZR',1,2,'key-4','explore',1,2,1794967167.781,0.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',52,'t1a1ec616af6fuX1la0O65pqEeCyOD50Gom6',1,2,'key-4','explore',1,2,1794967167.781,0.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',53,'t1a1ec616af6Y1hDXYr36vCoXNA6pwhDmOfn',1,2,'key-4','explore',1,2,1794967167.781,1.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',54,'t1a1ec616af6WvIoJl9IR39drPBnCpb5i_EB',2,1,'key-4','explore',1,2,1794967167.781,0.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',55,'t1a1ec616af6_IoBl5bNgZMtHYSEhNeWvtt_',1,2,'key-4','explore',1,2,1794967167.781,0.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',56,'t1a1ec616af6CHk57q9x2FbWUZROTGsVwrDi',1,2,'key-4','explore',1,2,1794967167.781,1.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',57,'t1a1ec616af6dzJaZu51xEyeQCmW-3Qfej4N',1,2,'key-4','explore',1,2,1794967167.781,0.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',58,'t1a1ec616af6q7kj4cbhcTOxps2MMdGe50y0',1,2,'key-4','explore',1,2,1794967167.781,0.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',59,'t1a1ec616af6Lfm1PZpu7TFHm1Bp8bvH9nt6',2,1,'key-4','explore',1,2,1794967167.781,0.0,NULL,1794967169.785,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',60,'t1a1ec616af6aykB_t36SWL9EElR6J_iy1vy',1,2,'key-4','explore',1,2,1794967167.781,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',61,'t1a1ec616b03QGxAh8x5vNtYzvxCAWZ6pRl6',1,2,'key-5','explore',1,2,1794967167.795,1.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',62,'t1a1ec616b03BS2WxsQUn8gyeuwU2wQohGU5',1,2,'key-5','explore',1,2,1794967167.795,0.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',63,'t1a1ec616b03c8R1LWKP0zBFiMKUgfwtbpe0',1,2,'key-5','explore',1,2,1794967167.795,0.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',64,'t1a1ec616b03YjfeNW62vrIBtNNVhT2vZJuD',2,1,'key-5','explore',1,2,1794967167.795,0.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',65,'t1a1ec616b03nIVMCpmU7Y_fAzXvsM1j8D0y',2,1,'key-5','explore',1,2,1794967167.795,0.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',66,'t1a1ec616b03V6r_o0HRkU_4oPSwQ4-2RAeI',1,2,'key-5','explore',1,2,1794967167.795,0.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',67,'t1a1ec616b03r4dQ9_N6STpo4whqfPuHxcD8',2,1,'key-5','explore',1,2,1794967167.795,0.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',68,'t1a1ec616b03QX7gdNb0b--9j-tAsJtFOh4q',1,2,'key-5','explore',1,2,1794967167.795,0.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',69,'t1a1ec616b03l-VVvgVgbCLNXgRCDW2_F_MV',1,2,'key-5','explore',1,2,1794967167.795,0.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',70,'t1a1ec616b033rAfBc-NFhvececyzdDy3RIR',1,2,'key-5','explore',1,2,1794967167.795,1.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',71,'t1a1ec616b03LTmAYNa8YF6rCnnN0QKcCOrH',1,2,'key-5','explore',1,2,1794967167.795,0.0,NULL,1794967169.796,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('2c99adf91c794430b613ffc3',72,'t1a1ec616b03AGTcJyF5nJrDXan8tOZCqyNx',1,2,'key-5','explore',1,2,1794967167.795,NULL,NULL,NULL,0,1,NULL,NULL,NULL,3);
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
INSERT INTO "plans" VALUES('2c99adf91c794430b613ffc3',1,0,'[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,2,null,0.0,1.0,0],[0,3,null,0.0,1.0,0],[1,2,null,0.0,1.0,0],[1,3,null,0.0,1.0,0],[2,3,null,0.0,1.0,0]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":1,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false,"outlooks":[]},"certified":null}',0,1794967169.526,'d90e84653ed36eafbc51ac89');
INSERT INTO "plans" VALUES('2c99adf91c794430b613ffc3',2,2,'[[1,2,3]]','[[1,2,3]]','{"pair":[0,1],"verdict":"not_yet","gap":0.9775000000000225,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":21,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[1,2,0.0,0.0,0.9958333333333375,1],[1,3,0.5,0.014176395035571221,0.9858236049644288,4],[2,3,0.25,0.0003258392431972901,0.9295132087095768,4],[0,2,0.19999999999999996,0.00022807258056989355,0.8728901187913025,5],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":2,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false,"outlooks":[]},"certified":null}',21,1794967169.729,'38fab3975596f096c72a0192');
INSERT INTO "plans" VALUES('2c99adf91c794430b613ffc3',3,3,'[[0,1,4]]','[[0,1,4]]','{"pair":[1,2],"verdict":"not_yet","gap":0.9276877151961166,"estimated_reward":0.28260869565217395,"interval":[0.09086767440138388,0.5539845323385412],"phase":"explore","samples":66,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,1,null,0.0,1.0,0],[1,3,0.5,0.014176395035571221,0.9858236049644288,4],[2,3,0.25,0.0003258392431972901,0.9295132087095768,4],[0,2,0.19999999999999996,0.00022807258056989355,0.8728901187913025,5],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":3,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false,"outlooks":[]},"certified":null}',66,1794967169.84,'138ec8b9c9b55a3c67ce5c67');
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('2c99adf91c794430b613ffc3','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
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
	best_j INTEGER NOT NULL, plan_id TEXT DEFAULT '' NOT NULL, open_at_clock_step BIGINT DEFAULT 0 NOT NULL, clock_step_at DOUBLE DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id)
);
INSERT INTO "sessions" VALUES('2c99adf91c794430b613ffc3','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'D8DFF4A950924EF8666695C97C7C341745D9F68549804717A4C480079ED20399','running',NULL,3,3,1794967169.526,1794967169.84,72,6,66,66,73,0,4,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-1","ad-2"],"i":1,"j":2,"estimated_reward":0.28260869565217395,"interval":[0.09086767440138388,0.5539845323385412],"gap":0.9276877151961166,"epsilon":0.2,"delta":0.05,"phase":"explore","samples":66,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"health":[],"plan_version":3,"updated_at":"2026-11-18T01:59:29.821+00:00"}','"39bffba2bfe9ca5932081530d7060379"','[]',1,2,'138ec8b9c9b55a3c67ce5c67',0,0.0);
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, beats BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('bee4a6a6e2414dd49e50ba96413a9bb6',1794967169.489,1794967169.864,5);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_impressions_open ON impressions (session_id, sequence) WHERE epoch IS NULL;
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
COMMIT;
