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
INSERT INTO "audit" VALUES(1,1794962624.266,'open access','create','1a022598519005d184436f91','{"name":"frozen","items":4}');
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
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',0,1,2,11,7.0,0,0,7,1);
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',0,2,1,5,4.0,0,0,2,0);
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',0,2,3,9,7.0,0,0,7,1);
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',0,3,1,7,5.0,0,0,2,0);
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',0,3,4,8,7.0,0,0,7,1);
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',1,2,1,2,1.0,0,0,7,2);
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',1,3,1,4,2.0,0,0,2,0);
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',1,3,3,8,6.0,0,0,5,0);
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',2,3,1,4,2.0,0,0,2,0);
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',2,3,3,5,2.0,0,0,7,1);
INSERT INTO "evidence" VALUES('1a022598519005d184436f91',2,3,4,3,1.0,0,0,7,0);
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
INSERT INTO "idempotency_keys" VALUES('1a022598519005d184436f91','next-pair/batch','key-0','digest','[["t1a1ec1c0f42H8nKvda814Vo3UD2Irq-H3VL",3,1,"explore",true,1],["t1a1ec1c0f42kKc-zOamgihstnPSSOrHXR6c",0,3,"explore",true,1],["t1a1ec1c0f42FC2RVDFRt2xSCnw2CTrNxDRp",0,3,"explore",true,1],["t1a1ec1c0f42QqdEnCU7qfae_ihrj4Yxotke",3,0,"explore",true,1],["t1a1ec1c0f42Mvmsu38MF_GAaj2zSdytRiY0",3,2,"explore",true,1],["t1a1ec1c0f429fs0jgrCiA46ObMbQOOYpYvA",2,0,"explore",true,1],["t1a1ec1c0f42cpVQIZIzRm1h0-dOBdvcmLos",2,0,"explore",true,1],["t1a1ec1c0f42OcI2H7Q94iHDHCivcqlHL-9j",2,1,"explore",true,1],["t1a1ec1c0f42HSq28rCzFC_ytCM-iowHki9E",3,0,"explore",true,1],["t1a1ec1c0f420FDjw9UWkcGVUpX-H2RWQ4KY",0,2,"explore",true,1],["t1a1ec1c0f42GAcuWJnEJqpNSsFrtcVXgmI0",1,3,"explore",true,1],["t1a1ec1c0f42x1NftnBSIl5QDquwWXZVvCYl",1,2,"explore",true,1]]',1794962624.312);
INSERT INTO "idempotency_keys" VALUES('1a022598519005d184436f91','next-pair/batch','key-1','digest','[["t1a1ec1c0fb0WFtl4JW7n9SeWoIbxHgwNAnH",3,1,"explore",true,1],["t1a1ec1c0fb03TwwIyaXCFhHDW-qUWfFU6jF",3,2,"explore",true,1],["t1a1ec1c0fb0rNuxl4OQljmYVUvq85CEYEeG",2,1,"explore",true,1],["t1a1ec1c0fb0KtEFus-axrWnMyIKGzN1jxHU",2,3,"explore",true,1],["t1a1ec1c0fb0E40iybAfxnBDKHAdkGZ_5_7k",1,3,"explore",true,1],["t1a1ec1c0fb00HDuYePEY02wxT4pzvH6VpgG",0,3,"explore",true,1],["t1a1ec1c0fb0JSor9iOpXhuwn_TKuvnNP8FF",0,3,"explore",true,1],["t1a1ec1c0fb0Fl0lmUZy87tTE5UEzKjmjoD-",0,3,"explore",true,1],["t1a1ec1c0fb08CVfgKWQi_xytBMlo2A87lWr",3,2,"explore",true,1],["t1a1ec1c0fb07Y-vF3nfiXP828Cg4KAd6YPO",0,2,"explore",true,1],["t1a1ec1c0fb0Zb4HkC08U_LAAsq8B-W5NF9Y",2,0,"explore",true,1],["t1a1ec1c0fb0OChlusPzO9fEk1bsfbOf32ij",2,1,"explore",true,1]]',1794962624.432);
INSERT INTO "idempotency_keys" VALUES('1a022598519005d184436f91','next-pair/batch','key-2','digest','[["t1a1ec1c104dgT4H413ta0XRHNgKR_x9DVxe",1,0,"explore",true,2],["t1a1ec1c104dNK6K9qPIFWJkX3vw4IuUTIUa",0,1,"explore",true,2],["t1a1ec1c104dAe1grBYktulxWjvjRITX5WCX",1,0,"explore",true,2],["t1a1ec1c104dE5AP9D-C-t4I5CC18nZrbvNt",1,0,"explore",true,2],["t1a1ec1c104d1yrIcmAMzajIRopdfvLQrHGU",1,0,"explore",true,2],["t1a1ec1c104daOFKLa4p5w9Kk2yVo3RPejo9",1,0,"explore",true,2],["t1a1ec1c104dmjvhiTSld6cwJvWzIRHprPSo",0,1,"explore",true,2],["t1a1ec1c104dbGVzFLzc0_c2JmQcb07VGPtA",1,0,"explore",true,2],["t1a1ec1c104dBRkL_yCP2ZrOaTwfmitta1eG",1,0,"explore",true,2],["t1a1ec1c104dFqoSO18lp8Rf1vIqKC7vjaL9",0,1,"explore",true,2],["t1a1ec1c104dgxzv5HtnvUEppLlCCU3R0npr",0,1,"explore",true,2],["t1a1ec1c104dkYuiaxJFShfaV11xo6aUifA3",1,0,"explore",true,2]]',1794962624.588);
INSERT INTO "idempotency_keys" VALUES('1a022598519005d184436f91','next-pair/batch','key-3','digest','[["t1a1ec1c105c2wa6Uvi8h2Q51NRSocHUKnv-",2,0,"explore",true,3],["t1a1ec1c105c5h2gdhDnJABE97vje20riiWw",1,3,"explore",true,3],["t1a1ec1c105cFVLoaP_6v_0QX0DiAnBy-_Bk",2,3,"explore",true,3],["t1a1ec1c105cTSxSQDGFnZ82ruhg1QoB0eY_",3,2,"explore",true,3],["t1a1ec1c105cpS1BEP2oCnaY2IQASd864bav",1,3,"explore",true,3],["t1a1ec1c105ctQXYTeuHUnKlGh7D_Og9eKxz",2,0,"explore",true,3],["t1a1ec1c105cIoATAqeJl2G7BhDDrQoq-MKV",1,3,"explore",true,3],["t1a1ec1c105c-xnxf-hIoIy32rhDojqE9lTu",3,1,"explore",true,3],["t1a1ec1c105csR3S0agr_GKQFUa0i4nepJbg",2,0,"explore",true,3],["t1a1ec1c105c9RpMUYXheUSWfZDUeBlRHuR7",0,2,"explore",true,3],["t1a1ec1c105ci4w0ZZNjzJqVI7b_hDjybL-L",0,2,"explore",true,3],["t1a1ec1c105czxqYuxiGWOfb542rZjEKfX-G",2,3,"explore",true,3]]',1794962624.603);
INSERT INTO "idempotency_keys" VALUES('1a022598519005d184436f91','next-pair/batch','key-4','digest','[["t1a1ec1c1071xJw9TkmIS1tmykhejlgJjWnI",2,3,"explore",true,3],["t1a1ec1c1071l54Q3QSFN-mZHtVgyp0rFPZv",2,0,"explore",true,3],["t1a1ec1c1071BPi2oj1DhCQGNXlNLaF5BpQg",3,1,"explore",true,3],["t1a1ec1c10717brhM4ytCS6UVCC4_MSQn1DM",2,3,"explore",true,3],["t1a1ec1c1071u0IwS3OLbGiIqF4c30g-CBbP",2,3,"explore",true,3],["t1a1ec1c1071NKLnldYwsFyJ4dpHPXgAMMGr",1,3,"explore",true,3],["t1a1ec1c10717aHvYP0WiCKW0VNnYzUF8NOw",2,0,"explore",true,3],["t1a1ec1c1071_j-eUUZ5crMeSgaouYwCFY6i",3,1,"explore",true,3],["t1a1ec1c1071gIwWVrmZ3FkO_MU3W2H0prkx",3,1,"explore",true,3],["t1a1ec1c1071qN73hVJe5SUDxpJWpeuM8rcj",0,2,"explore",true,3],["t1a1ec1c1071j3c9H56sKjvdBbn886oQJoFZ",0,2,"explore",true,3],["t1a1ec1c1071t72HIddJMqm_nSDILdJNYR3X",0,2,"explore",true,3]]',1794962624.625);
INSERT INTO "idempotency_keys" VALUES('1a022598519005d184436f91','next-pair/batch','key-5','digest','[["t1a1ec1c1082Dl3GJ7hmRq33U1rie3wD6XIZ",3,0,"explore",true,4],["t1a1ec1c10824uKZJzkoqLWl80t6WYXlqYXG",3,2,"explore",true,4],["t1a1ec1c1082dyKHFkZMC656emdvSYlPkeUZ",0,3,"explore",true,4],["t1a1ec1c10829zNgSHbeVKHmQpi3ZCOxeJ7o",0,3,"explore",true,4],["t1a1ec1c1082F9mwb-KGkrD_LypnBw-jIOjM",3,0,"explore",true,4],["t1a1ec1c1082gdtq9VZI1ZVKd4ceYlYP4DuN",3,0,"explore",true,4],["t1a1ec1c1082Bm9yYqSYuf-w3f_cspxSj9p-",0,3,"explore",true,4],["t1a1ec1c1082m9DvZuJFZPIs1Yt0d8Y0dmUJ",3,2,"explore",true,4],["t1a1ec1c1082YEe0g3kyvbCJuWhBzAMB092Y",3,0,"explore",true,4],["t1a1ec1c10825EERhdpJPnV--d_PEWVW4Mkk",3,0,"explore",true,4],["t1a1ec1c1082ytlAbsLi37XYF0oO-LHkVtqc",2,3,"explore",true,4],["t1a1ec1c1082Ord9j0ykYJYcPKgr3Y9-QFF6",0,3,"explore",true,4]]',1794962624.642);
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
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',1,'t1a1ec1c0f42H8nKvda814Vo3UD2Irq-H3VL',3,1,'key-0','explore',1,1,1794962622.312,1.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',2,'t1a1ec1c0f42kKc-zOamgihstnPSSOrHXR6c',0,3,'key-0','explore',1,1,1794962622.312,0.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',3,'t1a1ec1c0f42FC2RVDFRt2xSCnw2CTrNxDRp',0,3,'key-0','explore',1,1,1794962622.312,0.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',4,'t1a1ec1c0f42QqdEnCU7qfae_ihrj4Yxotke',3,0,'key-0','explore',1,1,1794962622.312,1.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',5,'t1a1ec1c0f42Mvmsu38MF_GAaj2zSdytRiY0',3,2,'key-0','explore',1,1,1794962622.312,0.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',6,'t1a1ec1c0f429fs0jgrCiA46ObMbQOOYpYvA',2,0,'key-0','explore',1,1,1794962622.312,0.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',7,'t1a1ec1c0f42cpVQIZIzRm1h0-dOBdvcmLos',2,0,'key-0','explore',1,1,1794962622.312,0.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',8,'t1a1ec1c0f42OcI2H7Q94iHDHCivcqlHL-9j',2,1,'key-0','explore',1,1,1794962622.312,1.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',9,'t1a1ec1c0f42HSq28rCzFC_ytCM-iowHki9E',3,0,'key-0','explore',1,1,1794962622.312,0.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',10,'t1a1ec1c0f420FDjw9UWkcGVUpX-H2RWQ4KY',0,2,'key-0','explore',1,1,1794962622.312,1.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',11,'t1a1ec1c0f42GAcuWJnEJqpNSsFrtcVXgmI0',1,3,'key-0','explore',1,1,1794962622.312,0.0,NULL,1794962624.345,0,0,NULL,NULL,NULL,1);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',12,'t1a1ec1c0f42x1NftnBSIl5QDquwWXZVvCYl',1,2,'key-0','explore',1,1,1794962622.312,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',13,'t1a1ec1c0fb0WFtl4JW7n9SeWoIbxHgwNAnH',3,1,'key-1','explore',1,1,1794962622.432,0.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',14,'t1a1ec1c0fb03TwwIyaXCFhHDW-qUWfFU6jF',3,2,'key-1','explore',1,1,1794962622.432,0.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',15,'t1a1ec1c0fb0rNuxl4OQljmYVUvq85CEYEeG',2,1,'key-1','explore',1,1,1794962622.432,0.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',16,'t1a1ec1c0fb0KtEFus-axrWnMyIKGzN1jxHU',2,3,'key-1','explore',1,1,1794962622.432,1.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',17,'t1a1ec1c0fb0E40iybAfxnBDKHAdkGZ_5_7k',1,3,'key-1','explore',1,1,1794962622.432,1.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',18,'t1a1ec1c0fb00HDuYePEY02wxT4pzvH6VpgG',0,3,'key-1','explore',1,1,1794962622.432,1.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',19,'t1a1ec1c0fb0JSor9iOpXhuwn_TKuvnNP8FF',0,3,'key-1','explore',1,1,1794962622.432,0.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',20,'t1a1ec1c0fb0Fl0lmUZy87tTE5UEzKjmjoD-',0,3,'key-1','explore',1,1,1794962622.432,0.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',21,'t1a1ec1c0fb08CVfgKWQi_xytBMlo2A87lWr',3,2,'key-1','explore',1,1,1794962622.432,1.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',22,'t1a1ec1c0fb07Y-vF3nfiXP828Cg4KAd6YPO',0,2,'key-1','explore',1,1,1794962622.432,0.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',23,'t1a1ec1c0fb0Zb4HkC08U_LAAsq8B-W5NF9Y',2,0,'key-1','explore',1,1,1794962622.432,0.0,NULL,1794962624.448,0,0,NULL,NULL,NULL,2);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',24,'t1a1ec1c0fb0OChlusPzO9fEk1bsfbOf32ij',2,1,'key-1','explore',1,1,1794962622.432,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',25,'t1a1ec1c104dgT4H413ta0XRHNgKR_x9DVxe',1,0,'key-2','explore',1,2,1794962622.588,1.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',26,'t1a1ec1c104dNK6K9qPIFWJkX3vw4IuUTIUa',0,1,'key-2','explore',1,2,1794962622.588,1.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',27,'t1a1ec1c104dAe1grBYktulxWjvjRITX5WCX',1,0,'key-2','explore',1,2,1794962622.588,0.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',28,'t1a1ec1c104dE5AP9D-C-t4I5CC18nZrbvNt',1,0,'key-2','explore',1,2,1794962622.588,1.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',29,'t1a1ec1c104d1yrIcmAMzajIRopdfvLQrHGU',1,0,'key-2','explore',1,2,1794962622.588,0.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',30,'t1a1ec1c104daOFKLa4p5w9Kk2yVo3RPejo9',1,0,'key-2','explore',1,2,1794962622.588,0.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',31,'t1a1ec1c104dmjvhiTSld6cwJvWzIRHprPSo',0,1,'key-2','explore',1,2,1794962622.588,0.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',32,'t1a1ec1c104dbGVzFLzc0_c2JmQcb07VGPtA',1,0,'key-2','explore',1,2,1794962622.588,0.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',33,'t1a1ec1c104dBRkL_yCP2ZrOaTwfmitta1eG',1,0,'key-2','explore',1,2,1794962622.588,0.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',34,'t1a1ec1c104dFqoSO18lp8Rf1vIqKC7vjaL9',0,1,'key-2','explore',1,2,1794962622.588,0.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',35,'t1a1ec1c104dgxzv5HtnvUEppLlCCU3R0npr',0,1,'key-2','explore',1,2,1794962622.588,1.0,NULL,1794962624.591,0,0,NULL,NULL,NULL,3);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',36,'t1a1ec1c104dkYuiaxJFShfaV11xo6aUifA3',1,0,'key-2','explore',1,2,1794962622.588,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',37,'t1a1ec1c105c2wa6Uvi8h2Q51NRSocHUKnv-',2,0,'key-3','explore',1,3,1794962622.603,0.0,NULL,1794962624.608,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',38,'t1a1ec1c105c5h2gdhDnJABE97vje20riiWw',1,3,'key-3','explore',1,3,1794962622.603,0.0,NULL,1794962624.608,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',39,'t1a1ec1c105cFVLoaP_6v_0QX0DiAnBy-_Bk',2,3,'key-3','explore',1,3,1794962622.603,0.0,NULL,1794962624.608,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',40,'t1a1ec1c105cTSxSQDGFnZ82ruhg1QoB0eY_',3,2,'key-3','explore',1,3,1794962622.603,1.0,NULL,1794962624.61,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',41,'t1a1ec1c105cpS1BEP2oCnaY2IQASd864bav',1,3,'key-3','explore',1,3,1794962622.603,0.0,NULL,1794962624.608,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',42,'t1a1ec1c105ctQXYTeuHUnKlGh7D_Og9eKxz',2,0,'key-3','explore',1,3,1794962622.603,0.0,NULL,1794962624.608,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',43,'t1a1ec1c105cIoATAqeJl2G7BhDDrQoq-MKV',1,3,'key-3','explore',1,3,1794962622.603,0.0,NULL,1794962624.608,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',44,'t1a1ec1c105c-xnxf-hIoIy32rhDojqE9lTu',3,1,'key-3','explore',1,3,1794962622.603,0.0,NULL,1794962624.608,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',45,'t1a1ec1c105csR3S0agr_GKQFUa0i4nepJbg',2,0,'key-3','explore',1,3,1794962622.603,0.0,NULL,1794962624.608,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',46,'t1a1ec1c105c9RpMUYXheUSWfZDUeBlRHuR7',0,2,'key-3','explore',1,3,1794962622.603,1.0,NULL,1794962624.61,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',47,'t1a1ec1c105ci4w0ZZNjzJqVI7b_hDjybL-L',0,2,'key-3','explore',1,3,1794962622.603,0.0,NULL,1794962624.608,0,0,NULL,NULL,NULL,4);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',48,'t1a1ec1c105czxqYuxiGWOfb542rZjEKfX-G',2,3,'key-3','explore',1,3,1794962622.603,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',49,'t1a1ec1c1071xJw9TkmIS1tmykhejlgJjWnI',2,3,'key-4','explore',1,3,1794962622.625,1.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',50,'t1a1ec1c1071l54Q3QSFN-mZHtVgyp0rFPZv',2,0,'key-4','explore',1,3,1794962622.625,0.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',51,'t1a1ec1c1071BPi2oj1DhCQGNXlNLaF5BpQg',3,1,'key-4','explore',1,3,1794962622.625,1.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',52,'t1a1ec1c10717brhM4ytCS6UVCC4_MSQn1DM',2,3,'key-4','explore',1,3,1794962622.625,1.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',53,'t1a1ec1c1071u0IwS3OLbGiIqF4c30g-CBbP',2,3,'key-4','explore',1,3,1794962622.625,0.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',54,'t1a1ec1c1071NKLnldYwsFyJ4dpHPXgAMMGr',1,3,'key-4','explore',1,3,1794962622.625,0.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',55,'t1a1ec1c10717aHvYP0WiCKW0VNnYzUF8NOw',2,0,'key-4','explore',1,3,1794962622.625,1.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',56,'t1a1ec1c1071_j-eUUZ5crMeSgaouYwCFY6i',3,1,'key-4','explore',1,3,1794962622.625,0.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',57,'t1a1ec1c1071gIwWVrmZ3FkO_MU3W2H0prkx',3,1,'key-4','explore',1,3,1794962622.625,1.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',58,'t1a1ec1c1071qN73hVJe5SUDxpJWpeuM8rcj',0,2,'key-4','explore',1,3,1794962622.625,0.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',59,'t1a1ec1c1071j3c9H56sKjvdBbn886oQJoFZ',0,2,'key-4','explore',1,3,1794962622.625,0.0,NULL,1794962624.627,0,0,NULL,NULL,NULL,5);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',60,'t1a1ec1c1071t72HIddJMqm_nSDILdJNYR3X',0,2,'key-4','explore',1,3,1794962622.625,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',61,'t1a1ec1c1082Dl3GJ7hmRq33U1rie3wD6XIZ',3,0,'key-5','explore',1,4,1794962622.642,0.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',62,'t1a1ec1c10824uKZJzkoqLWl80t6WYXlqYXG',3,2,'key-5','explore',1,4,1794962622.642,1.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',63,'t1a1ec1c1082dyKHFkZMC656emdvSYlPkeUZ',0,3,'key-5','explore',1,4,1794962622.642,0.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',64,'t1a1ec1c10829zNgSHbeVKHmQpi3ZCOxeJ7o',0,3,'key-5','explore',1,4,1794962622.642,0.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',65,'t1a1ec1c1082F9mwb-KGkrD_LypnBw-jIOjM',3,0,'key-5','explore',1,4,1794962622.642,1.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',66,'t1a1ec1c1082gdtq9VZI1ZVKd4ceYlYP4DuN',3,0,'key-5','explore',1,4,1794962622.642,0.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',67,'t1a1ec1c1082Bm9yYqSYuf-w3f_cspxSj9p-',0,3,'key-5','explore',1,4,1794962622.642,0.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',68,'t1a1ec1c1082m9DvZuJFZPIs1Yt0d8Y0dmUJ',3,2,'key-5','explore',1,4,1794962622.642,1.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',69,'t1a1ec1c1082YEe0g3kyvbCJuWhBzAMB092Y',3,0,'key-5','explore',1,4,1794962622.642,0.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',70,'t1a1ec1c10825EERhdpJPnV--d_PEWVW4Mkk',3,0,'key-5','explore',1,4,1794962622.642,0.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,6);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',71,'t1a1ec1c1082ytlAbsLi37XYF0oO-LHkVtqc',2,3,'key-5','explore',1,4,1794962622.642,0.0,NULL,1794962624.644,0,0,NULL,NULL,NULL,7);
INSERT INTO "impressions" VALUES('1a022598519005d184436f91',72,'t1a1ec1c1082Ord9j0ykYJYcPKgr3Y9-QFF6',0,3,'key-5','explore',1,4,1794962622.642,NULL,NULL,NULL,0,1,NULL,NULL,NULL,7);
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
INSERT INTO "plans" VALUES('1a022598519005d184436f91',1,0,'[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','[[0,2,3],[0,3,4],[1,2,3],[1,3,3],[2,3,3]]','{"pair":[0,1],"verdict":"not_yet","gap":1.0,"estimated_reward":null,"interval":[0.0,1.0],"phase":"explore","samples":0,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,2,null,0.0,1.0,0],[0,3,null,0.0,1.0,0],[1,2,null,0.0,1.0,0],[1,3,null,0.0,1.0,0],[2,3,null,0.0,1.0,0]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":1,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false,"outlooks":[]},"certified":null}',0,1794962624.266,'d90e84653ed36eafbc51ac89');
INSERT INTO "plans" VALUES('1a022598519005d184436f91',2,2,'[[0,1,4],[1,2,3]]','[[0,1,4]]','{"pair":[1,3],"verdict":"not_yet","gap":0.9955608768028266,"estimated_reward":0.5,"interval":[0.014176395035571221,0.9858236049644288],"phase":"explore","samples":21,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[0,1,null,0.0,1.0,0],[1,2,1.0,0.004166666666662544,1.0,1],[2,3,0.5,0.014176395035571221,0.9858236049644288,4],[0,2,0.19999999999999996,0.00022807258056989355,0.8728901187913025,5],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":2,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false,"outlooks":[]},"certified":null}',21,1794962624.573,'5c6a2cc36b84f79aa8f21bdd');
INSERT INTO "plans" VALUES('1a022598519005d184436f91',3,3,'[[0,2,5],[1,2,3],[1,3,4],[2,3,4]]','[[0,2,5],[1,3,4],[2,3,4]]','{"pair":[1,2],"verdict":"not_yet","gap":0.9659780667492459,"estimated_reward":1.0,"interval":[0.004166666666662544,1.0],"phase":"refine","samples":32,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[1,3,0.5,0.014176395035571221,0.9858236049644288,4],[2,3,0.5,0.014176395035571221,0.9858236049644288,4],[0,2,0.19999999999999996,0.00022807258056989355,0.8728901187913025,5],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7],[0,1,0.36363636363636365,0.037047969820395155,0.8379575170841038,11]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":3,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false,"outlooks":[]},"certified":null}',32,1794962624.601,'1ebbe8832d59f77da42710d4');
INSERT INTO "plans" VALUES('1a022598519005d184436f91',4,5,'[[0,3,7],[1,2,3],[2,3,6]]','[[0,3,7],[2,3,2]]','{"pair":[1,2],"verdict":"not_yet","gap":0.9350795026186309,"estimated_reward":1.0,"interval":[0.004166666666662544,1.0],"phase":"refine","samples":51,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"diagnostics":{},"race":[[2,3,0.5,0.035667226559773835,0.9643327734402262,6],[0,3,0.2857142857142857,0.006145520285139039,0.8624526736171975,7],[0,1,0.36363636363636365,0.037047969820395155,0.8379575170841038,11],[1,3,0.33333333333333337,0.03297356212161073,0.8041863657566053,12],[0,2,0.2142857142857143,0.01107973927220307,0.6779799462990796,14]],"budget":null,"shares_of_delta":{"upper":0.1,"nominees":0.0,"direct":0.9,"screening":0.0,"gram":0.0,"clicks":0.0,"contrasts":0.0},"health":[]}','{"version":4,"notes":{},"choices":{"guess":null,"nominees":[],"blanks":[],"landmarks":[],"gram_refuted":false,"outlooks":[]},"certified":null}',51,1794962624.638,'f88b3c9a4c03faf960880096');
CREATE TABLE session_items (
	session_id TEXT NOT NULL, 
	items TEXT NOT NULL, 
	CONSTRAINT pk_session_items PRIMARY KEY (session_id), 
	CONSTRAINT fk_session_items_sessions FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
INSERT INTO "session_items" VALUES('1a022598519005d184436f91','[["ad-0","Ad 0"],["ad-1","Ad 1"],["ad-2","Ad 2"],["ad-3","Ad 3"]]');
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
	best_j INTEGER NOT NULL, plan_id TEXT DEFAULT '' NOT NULL, open_at_clock_step BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (id)
);
INSERT INTO "sessions" VALUES('1a022598519005d184436f91','frozen','{"model":"stochastic","feedback":"pair","policy":"lucb","rank":null,"epsilon":0.2,"delta":0.05,"self_pairs":"never","explore_share":1.0,"attribution_window_seconds":0.0,"ticket_ttl_seconds":1.0,"missing_feedback":"void","seed":1}',X'A5F5B68AF26CD25D5F166D4C4B1F6A13A2BB890730D56E4B43C541FC8E548829','running',NULL,4,7,1794962624.266,1794962624.638,72,6,66,66,73,12,9,'{"state":"running","verdict":"not_yet","certified":false,"pair":["ad-1","ad-2"],"i":1,"j":2,"estimated_reward":1.0,"interval":[0.004166666666662544,1.0],"gap":0.9350795026186309,"epsilon":0.2,"delta":0.05,"phase":"refine","samples":51,"contenders":5,"forecast_samples":null,"assumptions":["independent-draws","loss-independent-of-outcome"],"health":[],"plan_version":4,"updated_at":"2026-11-18T00:43:44.633+00:00"}','"188396a3a7e2c2d953c74f9712627f61"','[]',1,2,'f88b3c9a4c03faf960880096',0);
CREATE TABLE uptimes (
	process_id TEXT NOT NULL, 
	began_at DOUBLE NOT NULL, 
	last_beat_at DOUBLE NOT NULL, beats BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_uptimes PRIMARY KEY (process_id)
);
INSERT INTO "uptimes" VALUES('118196be268345f495291fb8f229c5c0',1794962624.207,1794962624.659,9);
CREATE INDEX ix_sessions_created_at_id ON sessions (created_at, id);
CREATE INDEX ix_impressions_open ON impressions (session_id, sequence) WHERE epoch IS NULL;
CREATE INDEX ix_idempotency_keys_created_at ON idempotency_keys (created_at);
COMMIT;
