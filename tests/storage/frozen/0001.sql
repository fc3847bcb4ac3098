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
INSERT INTO "evidence" VALUES('1db5dbdef5e92a416a7782eb',0,1,2,11,4.0,0,0,3);
INSERT INTO "evidence" VALUES('1db5dbdef5e92a416a7782eb',0,2,1,5,3.0,0,0,2);
INSERT INTO "evidence" VALUES('1db5dbdef5e92a416a7782eb',0,3,1,7,5.0,0,0,2);
INSERT INTO "evidence" VALUES('1db5dbdef5e92a416a7782eb',1,2,1,1,1.0,0,0,1);
INSERT INTO "evidence" VALUES('1db5dbdef5e92a416a7782eb',1,3,1,4,3.0,0,0,2);
INSERT INTO "evidence" VALUES('1db5dbdef5e92a416a7782eb',2,3,1,4,4.0,0,0,2);
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
INSERT INTO "idempotency_keys" VALUES('1db5dbdef5e92a416a7782eb','next-pair/batch','key-0','digest','[["tHkuNWDa0MW72AlM4ktCXnQ",3,1,"explore",true,1],["thR1Ww3rFAPeikS5BRisuCg",0,3,"explore",true,1],["tMKsj3C1ctoliWxkEXnGmSQ",3,0,"explore",true,1],["tlpTnhxkv1oXkF2n6bZgFtQ",0,3,"explore",true,1],["th-WtHTRpV5i-R-6pWCSPPQ",3,2,"explore",true,1],["tKLnD-tGFNSTA6AB8sua3Fg",2,0,"explore",true,1],["t2xzJEpVMMFqDKPy4y7dBfw",0,2,"explore",true,1],["t_svC_qvapUv8wRX9xFmxVA",1,2,"explore",true,1],["tDpcCLwoAF42XePk9p3Y2iQ",0,3,"explore",true,1],["tHjh9iR7hetqYaSd2LzknlQ",2,0,"explore",true,1],["t7gPF4s_QyfcB9p1HPjdtMw",3,1,"explore",true,1],["tviA_NCYLjd7tPu7Xc6ivbA",2,1,"explore",true,1]]',1794813377.117);
INSERT INTO "idempotency_keys" VALUES('1db5dbdef5e92a416a7782eb','next-pair/batch','key-1','digest','[["tv1ub9NmsIwfLr9E0TwPXvw",1,3,"explore",true,1],["tfAvqdaBV_5DJP9_KUt5Bng",2,3,"explore",true,1],["toW6dpjL1_Oavl73wVwGUjg",1,2,"explore",true,1],["tQyGnOcNzApHgHNyqfZqGyQ",3,2,"explore",true,1],["tc4CJzlentZrRITN_iQ8Zyw",3,1,"explore",true,1],["tBhwtkK_ZJoVa36Mm6gY4yw",0,3,"explore",true,1],["t_TmcwRYcRyHKl2wuR6l0bw",3,0,"explore",true,1],["tdQ4heVW3Y9R-d3Gr8bHMow",3,0,"explore",true,1],["tx3E0bB6_vbVz4kEsxgD-_g",2,3,"explore",true,1],["t1GsMlwe9UEbntqmFR0uQkw",2,0,"explore",true,1],["tqXf8FWTFVBwDA0DhJbHKUg",2,0,"explore",true,1],["tQH0dXq_lra_alGtBmZZt2Q",2,1,"explore",true,1]]',1794813377.149);
INSERT INTO "idempotency_keys" VALUES('1db5dbdef5e92a416a7782eb','next-pair/batch','key-2','digest','[["tkh-xty6_RqJLzLwYZb8OHg",0,1,"explore",true,2],["t9wial6HXY3Pd9ZhKlPp9GQ",0,1,"explore",true,2],["t0iPilwGzOx2QwHZhhtSegg",0,1,"explore",true,2],["tCAJpHrZq8wUYwSRu611Trw",1,0,"explore",true,2],["tGoUVOcdtfMzrc_FQpo4CMQ",0,1,"explore",true,2],["tNFq3XwhvS57OuDvIM7cHXQ",1,0,"explore",true,2],["t4KUPS_04M31o7loGATvYyg",1,0,"explore",true,2],["t65I2421ffDduj5UMGlA5cg",0,1,"explore",true,2],["tLi_DzqQ7izy-9Lqllu8-8g",0,1,"explore",true,2],["toJS_jThHNQxvRCg19H66Pg",1,0,"explore",true,2],["tqES-lthOLBmaXc_UgQQ1gw",0,1,"explore",true,2],["tFqU8WS2DcTk238FBtMzoRA",1,0,"explore",true,2]]',1794813377.193);
INSERT INTO "idempotency_keys" VALUES('1db5dbdef5e92a416a7782eb','next-pair/batch','key-3','digest','[["twaMNp7MD8hsq9MPy1RMgkg",2,1,"explore",true,3],["t0xSqqPZM_cOMjP08XWPs4w",2,1,"explore",true,3],["tVDF0IjlQoEB3NQEE_y6Zqw",2,1,"explore",true,3],["tccuKkbJJgcghI9jfVxToAg",1,2,"explore",true,3],["t0fYTgysk5vldc61ziSXHBw",1,2,"explore",true,3],["tklrLa3ib6J7bMfiDgQtaNA",2,1,"explore",true,3],["t894rhKbvFPD7Jy0xGNYXCw",1,2,"explore",true,3],["thsz7IqoqOllDmG84LR6Afw",2,1,"explore",true,3],["txyXL-wFWGIfglN01UYaPyA",2,1,"explore",true,3],["txml27Wq-Kr1tNhLwxf5HYg",1,2,"explore",true,3],["tOHNlCEOrC_jIXzGHIAS4rQ",2,1,"explore",true,3],["t2bheJjEBt0bB1X621EMzYw",2,1,"explore",true,3]]',1794813377.322);
INSERT INTO "idempotency_keys" VALUES('1db5dbdef5e92a416a7782eb','next-pair/batch','key-4','digest','[["tOUjZy6LVMToyn3cnINCnvQ",1,2,"explore",true,3],["twSvXPYe5gmQG1qVWCLRULA",1,2,"explore",true,3],["tHw61XVqd0DbVZUHtIJJwKQ",2,1,"explore",true,3],["tGOSVboweksD_FcjOuC-5pQ",1,2,"explore",true,3],["tEP6qTFltybkl3Ub8WZz0IQ",1,2,"explore",true,3],["tcaM3jQwahpiOl5DH5TBANQ",2,1,"explore",true,3],["tfVzCB9Po3Of0-7d6bcwz8g",1,2,"explore",true,3],["tS2nXKplxPqNHHMTYWtdDvg",2,1,"explore",true,3],["tAXZ154GX7x6l62BfZOhNrw",1,2,"explore",true,3],["tig2ZLXVBKG2JuBzq5yOthw",1,2,"explore",true,3],["tDzxQr5t4WYk1dSZnUF4m_g",1,2,"explore",true,3],["tJpjzKBbayxWpVXOrK7sBjQ",1,2,"explore",true,3]]',1794813377.374);
INSERT INTO "idempotency_keys" VALUES('1db5dbdef5e92a416a7782eb','next-pair/batch','key-5','digest','[["tQOOMOK5j2G_K9GZgDC8LWw",2,1,"explore",true,3],["t4yJb3XSvG5fWxmVxUvrLvQ",1,2,"explore",true,3],["tvid8l9-W95LmRKYeXst4EA",1,2,"explore",true,3],["tzA35wU0qC-N3Zl-Xwo8lyw",1,2,"explore",true,3],["tQZSkyvZ384A6AOjSrYfYyw",1,2,"explore",true,3],["t4aett3Y7dHAcksRajrwZng",2,1,"explore",true,3],["tixx-XRrV3Bfk7PFmBu7B3A",1,2,"explore",true,3],["tQnlIvZyjF9sCtEBbaH_9dA",1,2,"explore",true,3],["tcP4Byr7yMW533r2jPnLt2w",2,1,"explore",true,3],["tOaNGYHoeuIGDJ2dwjDAvpA",1,2,"explore",true,3],["tk9SLl1uZNJWVNDhVEhf27A",1,2,"explore",true,3],["tGKUjq_5oIavnvFPSJ-qCtw",1,2,"explore",true,3]]',1794813377.383);
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
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',1,'tHkuNWDa0MW72AlM4ktCXnQ',3,1,'key-0','explore',1,1,1794813377.117,1.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',2,'thR1Ww3rFAPeikS5BRisuCg',0,3,'key-0','explore',1,1,1794813377.117,0.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',3,'tMKsj3C1ctoliWxkEXnGmSQ',3,0,'key-0','explore',1,1,1794813377.117,0.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',4,'tlpTnhxkv1oXkF2n6bZgFtQ',0,3,'key-0','explore',1,1,1794813377.117,1.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',5,'th-WtHTRpV5i-R-6pWCSPPQ',3,2,'key-0','explore',1,1,1794813377.117,0.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',6,'tKLnD-tGFNSTA6AB8sua3Fg',2,0,'key-0','explore',1,1,1794813377.117,0.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',7,'t2xzJEpVMMFqDKPy4y7dBfw',0,2,'key-0','explore',1,1,1794813377.117,1.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',8,'t_svC_qvapUv8wRX9xFmxVA',1,2,'key-0','explore',1,1,1794813377.117,0.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',9,'tDpcCLwoAF42XePk9p3Y2iQ',0,3,'key-0','explore',1,1,1794813377.117,0.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',10,'tHjh9iR7hetqYaSd2LzknlQ',2,0,'key-0','explore',1,1,1794813377.117,0.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',11,'t7gPF4s_QyfcB9p1HPjdtMw',3,1,'key-0','explore',1,1,1794813377.117,0.0,NULL,1794813377.129,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',12,'tviA_NCYLjd7tPu7Xc6ivbA',2,1,'key-0','explore',1,1,1794813377.117,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',13,'tv1ub9NmsIwfLr9E0TwPXvw',1,3,'key-1','explore',1,1,1794813377.149,0.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',14,'tfAvqdaBV_5DJP9_KUt5Bng',2,3,'key-1','explore',1,1,1794813377.149,0.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',15,'toW6dpjL1_Oavl73wVwGUjg',1,2,'key-1','explore',1,1,1794813377.149,0.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',16,'tQyGnOcNzApHgHNyqfZqGyQ',3,2,'key-1','explore',1,1,1794813377.149,0.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',17,'tc4CJzlentZrRITN_iQ8Zyw',3,1,'key-1','explore',1,1,1794813377.149,0.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',18,'tBhwtkK_ZJoVa36Mm6gY4yw',0,3,'key-1','explore',1,1,1794813377.149,1.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',19,'t_TmcwRYcRyHKl2wuR6l0bw',3,0,'key-1','explore',1,1,1794813377.149,0.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',20,'tdQ4heVW3Y9R-d3Gr8bHMow',3,0,'key-1','explore',1,1,1794813377.149,0.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',21,'tx3E0bB6_vbVz4kEsxgD-_g',2,3,'key-1','explore',1,1,1794813377.149,0.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',22,'t1GsMlwe9UEbntqmFR0uQkw',2,0,'key-1','explore',1,1,1794813377.149,1.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',23,'tqXf8FWTFVBwDA0DhJbHKUg',2,0,'key-1','explore',1,1,1794813377.149,0.0,NULL,1794813377.154,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',24,'tQH0dXq_lra_alGtBmZZt2Q',2,1,'key-1','explore',1,1,1794813377.149,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',25,'tkh-xty6_RqJLzLwYZb8OHg',0,1,'key-2','explore',1,2,1794813377.193,0.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',26,'t9wial6HXY3Pd9ZhKlPp9GQ',0,1,'key-2','explore',1,2,1794813377.193,1.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',27,'t0iPilwGzOx2QwHZhhtSegg',0,1,'key-2','explore',1,2,1794813377.193,0.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',28,'tCAJpHrZq8wUYwSRu611Trw',1,0,'key-2','explore',1,2,1794813377.193,1.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',29,'tGoUVOcdtfMzrc_FQpo4CMQ',0,1,'key-2','explore',1,2,1794813377.193,1.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',30,'tNFq3XwhvS57OuDvIM7cHXQ',1,0,'key-2','explore',1,2,1794813377.193,0.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',31,'t4KUPS_04M31o7loGATvYyg',1,0,'key-2','explore',1,2,1794813377.193,1.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',32,'t65I2421ffDduj5UMGlA5cg',0,1,'key-2','explore',1,2,1794813377.193,1.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',33,'tLi_DzqQ7izy-9Lqllu8-8g',0,1,'key-2','explore',1,2,1794813377.193,0.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',34,'toJS_jThHNQxvRCg19H66Pg',1,0,'key-2','explore',1,2,1794813377.193,1.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',35,'tqES-lthOLBmaXc_UgQQ1gw',0,1,'key-2','explore',1,2,1794813377.193,1.0,NULL,1794813377.205,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',36,'tFqU8WS2DcTk238FBtMzoRA',1,0,'key-2','explore',1,2,1794813377.193,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',37,'twaMNp7MD8hsq9MPy1RMgkg',2,1,'key-3','explore',1,3,1794813377.322,0.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',38,'t0xSqqPZM_cOMjP08XWPs4w',2,1,'key-3','explore',1,3,1794813377.322,1.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',39,'tVDF0IjlQoEB3NQEE_y6Zqw',2,1,'key-3','explore',1,3,1794813377.322,0.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',40,'tccuKkbJJgcghI9jfVxToAg',1,2,'key-3','explore',1,3,1794813377.322,0.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',41,'t0fYTgysk5vldc61ziSXHBw',1,2,'key-3','explore',1,3,1794813377.322,0.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',42,'tklrLa3ib6J7bMfiDgQtaNA',2,1,'key-3','explore',1,3,1794813377.322,0.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',43,'t894rhKbvFPD7Jy0xGNYXCw',1,2,'key-3','explore',1,3,1794813377.322,0.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',44,'thsz7IqoqOllDmG84LR6Afw',2,1,'key-3','explore',1,3,1794813377.322,1.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',45,'txyXL-wFWGIfglN01UYaPyA',2,1,'key-3','explore',1,3,1794813377.322,0.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',46,'txml27Wq-Kr1tNhLwxf5HYg',1,2,'key-3','explore',1,3,1794813377.322,0.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',47,'tOHNlCEOrC_jIXzGHIAS4rQ',2,1,'key-3','explore',1,3,1794813377.322,1.0,NULL,1794813377.343,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',48,'t2bheJjEBt0bB1X621EMzYw',2,1,'key-3','explore',1,3,1794813377.322,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',49,'tOUjZy6LVMToyn3cnINCnvQ',1,2,'key-4','explore',1,3,1794813377.374,0.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',50,'twSvXPYe5gmQG1qVWCLRULA',1,2,'key-4','explore',1,3,1794813377.374,1.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',51,'tHw61XVqd0DbVZUHtIJJwKQ',2,1,'key-4','explore',1,3,1794813377.374,0.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',52,'tGOSVboweksD_FcjOuC-5pQ',1,2,'key-4','explore',1,3,1794813377.374,0.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',53,'tEP6qTFltybkl3Ub8WZz0IQ',1,2,'key-4','explore',1,3,1794813377.374,1.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',54,'tcaM3jQwahpiOl5DH5TBANQ',2,1,'key-4','explore',1,3,1794813377.374,0.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',55,'tfVzCB9Po3Of0-7d6bcwz8g',1,2,'key-4','explore',1,3,1794813377.374,0.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',56,'tS2nXKplxPqNHHMTYWtdDvg',2,1,'key-4','explore',1,3,1794813377.374,0.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',57,'tAXZ154GX7x6l62BfZOhNrw',1,2,'key-4','explore',1,3,1794813377.374,0.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',58,'tig2ZLXVBKG2JuBzq5yOthw',1,2,'key-4','explore',1,3,1794813377.374,0.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',59,'tDzxQr5t4WYk1dSZnUF4m_g',1,2,'key-4','explore',1,3,1794813377.374,1.0,NULL,1794813377.377,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',60,'tJpjzKBbayxWpVXOrK7sBjQ',1,2,'key-4','explore',1,3,1794813377.374,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',61,'tQOOMOK5j2G_K9GZgDC8LWw',2,1,'key-5','explore',1,3,1794813377.383,0.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',62,'t4yJb3XSvG5fWxmVxUvrLvQ',1,2,'key-5','explore',1,3,1794813377.383,0.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',63,'tvid8l9-W95LmRKYeXst4EA',1,2,'key-5','explore',1,3,1794813377.383,0.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',64,'tzA35wU0qC-N3Zl-Xwo8lyw',1,2,'key-5','explore',1,3,1794813377.383,1.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',65,'tQZSkyvZ384A6AOjSrYfYyw',1,2,'key-5','explore',1,3,1794813377.383,0.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',66,'t4aett3Y7dHAcksRajrwZng',2,1,'key-5','explore',1,3,1794813377.383,1.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',67,'tixx-XRrV3Bfk7PFmBu7B3A',1,2,'key-5','explore',1,3,1794813377.383,1.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',68,'tQnlIvZyjF9sCtEBbaH_9dA',1,2,'key-5','explore',1,3,1794813377.383,0.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',69,'tcP4Byr7yMW533r2jPnLt2w',2,1,'key-5','explore',1,3,1794813377.383,1.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',70,'tOaNGYHoeuIGDJ2dwjDAvpA',1,2,'key-5','explore',1,3,1794813377.383,1.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',71,'tk9SLl1uZNJWVNDhVEhf27A',1,2,'key-5','explore',1,3,1794813377.383,0.0,NULL,1794813377.386,0,0,NULL,NULL,NULL,NULL);
INSERT INTO "impressions" VALUES('1db5dbdef5e92a416a7782eb',72,'tGKUjq_5oIavnvFPSJ-qCtw',1,2,'key-5','explore',1,3,1794813377.383,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL);
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
INSERT INTO "plans" VALUES('1db5dbdef5e92a416a7782eb',1,0,'[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"budget":null}','{"version":1,"notes":{},"certified":null}',0,1794813377.104);
INSERT INTO "plans" VALUES('1db5dbdef5e92a416a7782eb',2,2,'[[0,1,4],[1,2,3]]','[[0,1,4]]','{"pair":[0,2],"verdict":"not_yet","gap":0.9968602243263509,"estimated_reward":0.4,"interval":[0.010032721613635998,0.9524286986131199],"phase":"explore","samples":21,"contenders":5,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"budget":null}','{"version":2,"notes":{},"certified":null}',21,1794813377.182);
INSERT INTO "plans" VALUES('1db5dbdef5e92a416a7782eb',3,3,'[[1,2,3]]','[[1,2,3]]','{"pair":[0,1],"verdict":"not_yet","gap":0.8646183285571637,"estimated_reward":0.6363636363636364,"interval":[0.16204248291591927,0.9629520301795961],"phase":"explore","samples":32,"contenders":5,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"budget":null}','{"version":3,"notes":{},"certified":null}',32,1794813377.303);
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('1db5dbdef5e92a416a7782eb','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
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
INSERT INTO "sessions" VALUES('1db5dbdef5e92a416a7782eb','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'B97A6AD74DE25146AA485CB577555D856524C224DC49F80F3CE74B642DBA5CF0','running',NULL,3,3,1794813377.104,1794813377.303,72,0,32,32,73,36,3,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-0","ad-1"],"i":0,"j":1,"estimated_reward":0.6363636363636364,"interval":[0.16204248291591927,0.9629520301795961],"gap":0.8646183285571637,"epsilon":0.2,"delta":0.05,"phase":"explore","samples":32,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"health":[],"plan_version":3,"updated_at":"2026-11-16T07:16:17.283+00:00"}','"dbfecc8eda1c623706fc5397a95b03bc"','[]',0,1);
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('6a61929c76434283b47073f9a84ee13b',1794813377.09,1794813377.395);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_impressions_open ON impressions (session_id, sequence) WHERE epoch IS NULL;
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
COMMIT;
