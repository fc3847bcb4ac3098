"""The tables. The impressions and the log of plans are the truth; all else can be rebuilt from them.

The schema in a database comes from the migrations in `alembic/`; a test holds the two together.
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


def _of_session() -> Column[str]:
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
    Column("epoch", Integer, nullable=False),  # of the last fold that changed anything
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("issued", BigInteger, nullable=False),
    Column("void", BigInteger, nullable=False),
    Column("counted", BigInteger, nullable=False),
    Column("answered_closed", BigInteger, nullable=False),  # answered, among impressions a fold has dealt with
    Column("next_sequence", BigInteger, nullable=False),
    Column("cursor", BigInteger, nullable=False),  # positions handed out of the current plan
    Column("handout_total", BigInteger, nullable=False),  # positions the current plan has; 0: nothing to explore
    Column("snapshot", Text, nullable=False),  # JSON
    Column("etag", Text, nullable=False),
    Column("health", Text, nullable=False),  # JSON
    Column("best_i", Integer, nullable=False),
    Column("best_j", Integer, nullable=False),
    Column("plan_id", Text, nullable=False, server_default=text("''")),  # of the current plan
    # The last time the clock was set while impressions up to this sequence were open: see `database.watch`.
    Column("open_at_clock_step", BigInteger, nullable=False, server_default=text("0")),
    Column("clock_step_at", Double, nullable=False, server_default=text("0")),
    Index(None, "created_at", "id"),
)

session_items = Table(  # apart from `sessions`: SQLite rewrites a whole row, and the counters change at every commit
    "session_items",
    metadata,
    _of_session(),
    Column("items", Text, nullable=False),  # JSON
)

impressions = Table(
    "impressions",
    metadata,
    _of_session(),
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
    Column("epoch", Integer),  # of the fold that dealt with it; NULL: open
    UniqueConstraint("ticket"),
    # Not WITHOUT ROWID on SQLite: it would then read all of a session by its primary key to find what is open.
)
Index(  # so that folds, counters and plans cost what is open, not what is stored
    "ix_impressions_open",
    impressions.c.session_id,
    impressions.c.sequence,
    sqlite_where=impressions.c.epoch.is_(None),
    postgresql_where=impressions.c.epoch.is_(None),
)

plans = Table(
    "plans",
    metadata,
    _of_session(),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("epoch", Integer, nullable=False),
    Column("demand", Text, nullable=False),  # JSON: [[i, j, count], ...]
    Column("handout", Text, nullable=False),  # JSON, the same shape
    Column("report", Text, nullable=False),  # JSON
    Column("memory", Text, nullable=False),  # JSON, as the engine wrote it
    Column("counted_before", BigInteger, nullable=False),
    Column("created_at", Double, nullable=False),
    # What the plan is, whatever its number: after a failover another plan may have the same number. '': older version.
    Column("id", Text, nullable=False, server_default=text("''")),
)

evidence = Table(
    "evidence",
    metadata,
    _of_session(),
    Column("i", Integer, primary_key=True, autoincrement=False),  # i <= j
    Column("j", Integer, primary_key=True, autoincrement=False),
    Column("version", Integer, primary_key=True, autoincrement=False),  # of the plan it was issued under
    Column("n", BigInteger, nullable=False),
    Column("s", Double, nullable=False),  # sum of 1 - reward
    Column("clicks_i", BigInteger, nullable=False),
    Column("clicks_j", BigInteger, nullable=False),
    Column("epoch", Integer, nullable=False),  # of the last change
    Column("unanswered", BigInteger, nullable=False, server_default=text("0")),  # given up; n may be 0 beside it
    sqlite_with_rowid=False,
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    _of_session(),
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
    _of_session(),
    Column("body", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("created_at", Double, nullable=False),
)

uptimes = Table(  # periods in which a process could take answers
    "uptimes",
    metadata,
    Column("process_id", Text, primary_key=True),
    Column("began_at", Double, nullable=False),
    Column("last_beat_at", Double, nullable=False),
    # So far; if there are fewer later, the database has gone back to an earlier state.
    Column("beats", BigInteger, nullable=False, server_default=text("0")),
)

keys = Table(  # rows stay when a key is revoked and when its session is deleted: the audit trail names them
    "keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("ending", Text, nullable=False),
    Column("scopes", Text, nullable=False),  # parted by spaces
    Column("session_id", Text),
    Column("rate", Text),
    Column("created_at", Double, nullable=False),
    Column("revoked_at", Double),
)

key_changes = Table(  # one row, once there is a key: servers look at the number to see if they must read the keys again
    "key_changes",
    metadata,
    Column("one", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, nullable=False),
)

audit = Table(  # append-only; refers to no other table, so that nothing is deleted with a session
    "audit",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("at", Double, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("session_id", Text),
    Column("details", Text, nullable=False),  # JSON
)
