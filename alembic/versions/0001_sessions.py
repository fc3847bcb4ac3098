"""Create the tables of sessions: impressions, plans, evidence, certificates and idempotency keys; and uptimes."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("ticket_key", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("budget", sa.BigInteger(), nullable=True),
        sa.Column("plan_version", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.Column("issued", sa.BigInteger(), nullable=False),
        sa.Column("void", sa.BigInteger(), nullable=False),
        sa.Column("counted", sa.BigInteger(), nullable=False),
        sa.Column("answered_closed", sa.BigInteger(), nullable=False),
        sa.Column("next_sequence", sa.BigInteger(), nullable=False),
        sa.Column("cursor", sa.BigInteger(), nullable=False),
        sa.Column("handout_total", sa.BigInteger(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("health", sa.Text(), nullable=False),
        sa.Column("best_i", sa.Integer(), nullable=False),
        sa.Column("best_j", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
    )
    op.create_index("ix_sessions_created_at_id", "sessions", ["created_at", "id"])
    op.create_table(
        "session_items",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("items", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_session_items"),
        _belongs_to_session("session_items"),
    )
    op.create_table(
        "impressions",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ticket", sa.Text(), nullable=False),
        sa.Column("i", sa.Integer(), nullable=False),
        sa.Column("j", sa.Integer(), nullable=False),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("plan_version", sa.Integer(), nullable=False),
        sa.Column("issued_at", sa.Double(), nullable=False),
        sa.Column("outcome", sa.Double(), nullable=True),
        sa.Column("clicked", sa.SmallInteger(), nullable=True),
        sa.Column("answered_at", sa.Double(), nullable=True),
        sa.Column("not_shown", sa.Boolean(), nullable=False),
        sa.Column("void", sa.Boolean(), nullable=False),
        sa.Column("late_outcome", sa.Double(), nullable=True),
        sa.Column("late_clicked", sa.SmallInteger(), nullable=True),
        sa.Column("late_at", sa.Double(), nullable=True),
        sa.Column("epoch", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("session_id", "sequence", name="pk_impressions"),
        sa.UniqueConstraint("ticket", name="uq_impressions_ticket"),
        _belongs_to_session("impressions"),
    )
    op.create_index(
        "ix_impressions_open",
        "impressions",
        ["session_id", "sequence"],
        sqlite_where=sa.text("epoch IS NULL"),
        postgresql_where=sa.text("epoch IS NULL"),
    )
    op.create_table(
        "plans",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("demand", sa.Text(), nullable=False),
        sa.Column("handout", sa.Text(), nullable=False),
        sa.Column("report", sa.Text(), nullable=False),
        sa.Column("memory", sa.Text(), nullable=False),
        sa.Column("counted_before", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "version", name="pk_plans"),
        _belongs_to_session("plans"),
    )
    op.create_table(
        "evidence",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("i", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("j", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.Column("s", sa.Double(), nullable=False),
        sa.Column("clicks_i", sa.BigInteger(), nullable=False),
        sa.Column("clicks_j", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "i", "j", "version", name="pk_evidence"),
        _belongs_to_session("evidence"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_digest", sa.Text(), nullable=False),
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "route", "key", name="pk_idempotency_keys"),
        _belongs_to_session("idempotency_keys"),
    )
    op.create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])
    op.create_table(
        "certificates",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_certificates"),
        _belongs_to_session("certificates"),
    )
    op.create_table(
        "uptimes",
        sa.Column("process_id", sa.Text(), nullable=False),
        sa.Column("began_at", sa.Double(), nullable=False),
        sa.Column("last_beat_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("process_id", name="pk_uptimes"),
    )


def downgrade() -> None:
    """Drops the tables."""
    for table in (
        "uptimes",
        "certificates",
        "idempotency_keys",
        "evidence",
        "plans",
        "impressions",
        "session_items",
        "sessions",
    ):
        op.drop_table(table)


def _belongs_to_session(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], name=f"fk_{table}_sessions", ondelete="CASCADE")
