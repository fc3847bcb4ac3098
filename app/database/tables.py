"""The tables. Impressions and the log of plans are the source of truth; everything else can be rebuilt from them.

The schema of a database comes from the migrations in `alembic/`; a test checks that it is the one defined here.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def _session_id() -> Column[str]:
    return Column("session_id", Text, ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True)


sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("settings", Text, nullable=False),  # JSON
    Column("ticket_key", LargeBinary, nullable=False),
    Column("state", Text, nullable=False),  # `app.wire.vocabulary.State`
    Column("budget", BigInteger),
    Column("plan_version", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("issued", BigInteger, nullable=False),
    Column("void", BigInteger, nullable=False),
    Column("counted", BigInteger, nullable=False),
    Column("answered_closed", BigInteger, nullable=False),  # answered impressions up to the watermark
    Column("next_sequence", BigInteger, nullable=False),
    Column("cursor", BigInteger, nullable=False),  # positions of the current plan that were handed out
    Column("handout_total", BigInteger, nullable=False),  # positions of the current plan; 0: nothing to explore
    Column("snapshot", Text, nullable=False),  # JSON
    Column("etag", Text, nullable=False),
    Column("health", Text, nullable=False),  # JSON
    Column("best_i", Integer, nullable=False),
    Column("best_j", Integer, nullable=False),
    Column("plan_id", Text, nullable=False, server_default=text("''")),  # of the current plan
    # The last time the clock was set while impressions were open: the last sequence issued before, and the new time
    # (`database.watch.ClockStep`).
    Column("open_at_clock_step", BigInteger, nullable=False, server_default=text("0")),
    Column("clock_step_at", Double, nullable=False, server_default=text("0")),
    # JSON: `EditableSettings` without the name. Hand-outs do not read this column: the texts may be long.
    Column("editable_settings", Text, nullable=False, server_default=text("'{}'")),
    # Every impression that counts is final up to this sequence; the evidence contains exactly these.
    Column("watermark", BigInteger, nullable=False, server_default=text("0")),
    Column("digest", Text, nullable=False, server_default=text("''")),  # of the rows up to the watermark; '': of none
    Column(
        "first_chained", BigInteger, nullable=False, server_default=text("1")
    ),  # sequence; later if created by 0.1.0
    Column("delays", Text, nullable=False, server_default=text("''")),  # JSON: `counting.delays`
    Index(None, "created_at", "id"),
)

session_items = Table(  # separate: SQLite rewrites whole rows, and counters in `sessions` change with every commit
    "session_items",
    metadata,
    _session_id(),
    Column("items", Text, nullable=False),  # JSON
)

impressions = Table(
    "impressions",
    metadata,
    _session_id(),
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("ticket", Text, nullable=False),
    Column("i", Integer, nullable=False),  # in the order shown
    Column("j", Integer, nullable=False),
    Column("idempotency_key", Text),
    Column("purpose", Text, nullable=False),
    Column("counts", Boolean, nullable=False),
    Column("plan_version", Integer, nullable=False),
    Column("issued_at", Double, nullable=False),
    Column("outcome", Double),
    Column("clicked", SmallInteger),
    Column("answered_at", Double),
    Column("not_shown", Boolean, nullable=False),
    Column("void", Boolean, nullable=False),
    Column("late_outcome", Double),
    Column("late_clicked", SmallInteger),
    Column("late_at", Double),
    Column("old_epoch", Integer),  # of the fold of version 0.1.0 that counted it or made it void
    # Final without an answer. Feedback is stored only in rows without this mark, so it is never accepted and left out.
    Column("given_up", Boolean, nullable=False, server_default=text("false")),
    UniqueConstraint("ticket"),
)
Index(  # late feedback is rare, and is compared with feedback in time at every plan
    "ix_impressions_late",
    impressions.c.session_id,
    impressions.c.sequence,
    sqlite_where=impressions.c.late_outcome.is_not(None),
    postgresql_where=impressions.c.late_outcome.is_not(None),
)

plans = Table(
    "plans",
    metadata,
    _session_id(),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("epoch", Integer, nullable=False),  # of the last fold, in plans of version 0.1.0; else 0
    Column("demand", Text, nullable=False),  # JSON: [[i, j, count], ...]
    Column("handout", Text, nullable=False),  # JSON, the same shape
    Column("report", Text, nullable=False),  # JSON
    Column("memory", Text, nullable=False),  # JSON, as the engine wrote it
    Column("counted_before", BigInteger, nullable=False),  # answers that were known when it was made
    Column("created_at", Double, nullable=False),
    # Identifies the plan: after a failover another plan may have the same version. '': written by an older version.
    Column("id", Text, nullable=False, server_default=text("''")),
    Column("watermark", BigInteger),  # of the evidence it was made from; NULL: written by version 0.1.0
    Column("digest", Text, nullable=False, server_default=text("''")),  # of the rows up to the watermark
    Column("known", Text, nullable=False, server_default=text("''")),  # JSON: answers above the watermark, by cell
)

evidence = Table(
    "evidence",
    metadata,
    _session_id(),
    Column("i", Integer, primary_key=True, autoincrement=False),  # i <= j
    Column("j", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, primary_key=True, autoincrement=False),  # of the plan that handed them out
    Column("n", BigInteger, nullable=False),
    Column("s", Double, nullable=False),  # sum of 1 - reward
    Column("clicks_i", BigInteger, nullable=False),
    Column("clicks_j", BigInteger, nullable=False),
    # Impressions that got no feedback in time; n does not contain them, and may be 0.
    Column("unanswered", BigInteger, nullable=False, server_default=text("0")),
    sqlite_with_rowid=False,
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    _session_id(),
    Column("route", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("body_digest", Text, nullable=False),
    Column("response", Text, nullable=False),  # JSON
    Column("created_at", Double, nullable=False),
    Index(None, "created_at"),
)

certificates = Table(
    "certificates",
    metadata,
    _session_id(),
    Column("body", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("created_at", Double, nullable=False),
)

uptimes = Table(  # periods in which a process could take feedback
    "uptimes",
    metadata,
    Column("process_id", Text, primary_key=True),
    Column("began_at", Double, nullable=False),
    Column("last_beat_at", Double, nullable=False),
    # Beats so far. If the number decreases, the database was put back into an earlier state.
    Column("beats", BigInteger, nullable=False, server_default=text("0")),
)

keys = Table(  # rows stay when a key is revoked or its session is deleted, because the audit trail refers to them
    "keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("ending", Text, nullable=False),
    Column("scopes", Text, nullable=False),  # separated by spaces
    Column("session_id", Text),
    Column("rate", Text),
    Column("created_at", Double, nullable=False),
    Column("revoked_at", Double),
)

key_changes = Table(  # one row, from the first key on: a server reads the keys again when the number has changed
    "key_changes",
    metadata,
    Column("one", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, nullable=False),
)

audit = Table(  # append-only, without foreign keys, so that no entry is deleted with a session
    "audit",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("at", Double, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("session_id", Text),
    Column("details", Text, nullable=False),  # JSON
)
