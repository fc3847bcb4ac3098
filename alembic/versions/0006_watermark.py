"""Count in session order: one watermark for each session, a chain of digests, and what each plan knew.

Version 0.1.0 counted a prefix of each pair's impressions. Its evidence may contain impressions that come after one that
is still open. These are taken out of the evidence again, and count once the watermark passes them: their answers are
stored in their rows. So nothing is lost, nothing is counted twice, and from now on the evidence of every session is
what the new rule would have counted.

Servers of version 0.1.0 cannot run on these tables: they would count the same impressions by another rule.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_SET_WATERMARK = """
    UPDATE sessions SET watermark = coalesce(
        (SELECT min(sequence) FROM impressions WHERE session_id = sessions.id AND epoch IS NULL AND counts),
        next_sequence
    ) - 1
"""
_AHEAD = """
    FROM impressions JOIN sessions ON sessions.id = impressions.session_id
    WHERE counts AND impressions.epoch IS NOT NULL AND sequence > watermark
"""
_UNCOUNT = f"""
    WITH ahead AS (
        SELECT session_id, CASE WHEN i < j THEN i ELSE j END AS low, CASE WHEN i < j THEN j ELSE i END AS high,
               impressions.plan_version,
               sum(CASE WHEN impressions.void THEN 0 ELSE 1 END) AS n,
               sum(CASE WHEN impressions.void THEN 0 ELSE 1 - coalesce(outcome, 0) END) AS s,
               sum(CASE WHEN impressions.void THEN 0 WHEN i < j THEN coalesce(clicked, 0) & 1
                        ELSE coalesce(clicked, 0) >> 1 & 1 END) AS clicks_low,
               sum(CASE WHEN impressions.void THEN 0 WHEN i < j THEN coalesce(clicked, 0) >> 1 & 1
                        ELSE coalesce(clicked, 0) & 1 END) AS clicks_high,
               sum(CASE WHEN impressions.void AND NOT not_shown AND outcome IS NULL THEN 1 ELSE 0 END) AS unanswered
        {_AHEAD} GROUP BY 1, 2, 3, 4
    )
    UPDATE evidence SET n = evidence.n - ahead.n, s = evidence.s - ahead.s,
        clicks_i = evidence.clicks_i - ahead.clicks_low, clicks_j = evidence.clicks_j - ahead.clicks_high,
        -- 0 where missing feedback means "no click"
        unanswered = CASE WHEN evidence.unanswered > 0 THEN evidence.unanswered - ahead.unanswered ELSE 0 END
    FROM ahead
    WHERE evidence.session_id = ahead.session_id AND evidence.i = ahead.low AND evidence.j = ahead.high
        AND evidence.version = ahead.plan_version
"""  # noqa: S608 - no values
_UNCOUNT_TOTALS = f"""
    WITH ahead AS (
        SELECT session_id, sum(CASE WHEN impressions.void THEN 1 ELSE 0 END) AS void, count(*) AS closed,
               count(outcome) AS answered
        {_AHEAD} GROUP BY 1
    )
    UPDATE sessions SET void = sessions.void - ahead.void, answered_closed = answered_closed - ahead.answered,
        counted = counted - (ahead.closed - ahead.void)
    FROM ahead WHERE sessions.id = ahead.session_id
"""  # noqa: S608 - no values


def upgrade() -> None:
    """Sets each watermark before the first open impression; takes impressions above it out of the evidence."""
    zero, empty = sa.text("0"), sa.text("''")
    op.add_column("sessions", sa.Column("watermark", sa.BigInteger(), nullable=False, server_default=zero))
    op.add_column("sessions", sa.Column("digest", sa.Text(), nullable=False, server_default=empty))
    op.add_column("sessions", sa.Column("first_chained", sa.BigInteger(), nullable=False, server_default=sa.text("1")))
    op.add_column("sessions", sa.Column("delays", sa.Text(), nullable=False, server_default=empty))
    op.add_column("plans", sa.Column("watermark", sa.BigInteger(), nullable=True))
    op.add_column("plans", sa.Column("digest", sa.Text(), nullable=False, server_default=empty))
    op.add_column("plans", sa.Column("known", sa.Text(), nullable=False, server_default=empty))
    op.add_column("impressions", sa.Column("given_up", sa.Boolean(), nullable=False, server_default=sa.text("false")))
    for statement in (
        _SET_WATERMARK,
        "UPDATE sessions SET first_chained = watermark + 1",
        _UNCOUNT,
        "DELETE FROM evidence WHERE n = 0 AND unanswered = 0",
        _UNCOUNT_TOTALS,
        # "No click" is counted: a click that comes now is late, even if the clock is set. Void ones are marked already.
        "UPDATE impressions SET given_up = true"
        " WHERE epoch IS NOT NULL AND counts AND outcome IS NULL AND NOT not_shown AND NOT void",
    ):
        op.execute(statement)
    op.drop_index("ix_impressions_open", table_name="impressions")
    op.execute("ALTER TABLE impressions RENAME COLUMN epoch TO old_epoch")
    op.create_index(
        "ix_impressions_late",
        "impressions",
        ["session_id", "sequence"],
        sqlite_where=sa.text("late_outcome IS NOT NULL"),
        postgresql_where=sa.text("late_outcome IS NOT NULL"),
    )
    op.drop_column("evidence", "epoch")
    op.drop_column("sessions", "epoch")


def downgrade() -> None:
    """Counts what is below the watermark as one fold of version 0.1.0; digests and known answers are lost."""
    one = sa.text("1")
    op.add_column("sessions", sa.Column("epoch", sa.Integer(), nullable=False, server_default=one))
    op.add_column("evidence", sa.Column("epoch", sa.Integer(), nullable=False, server_default=one))
    op.drop_index("ix_impressions_late", table_name="impressions")
    op.execute("ALTER TABLE impressions RENAME COLUMN old_epoch TO epoch")
    op.execute(
        "UPDATE sessions"
        " SET epoch = 1 + coalesce((SELECT max(epoch) FROM impressions WHERE session_id = sessions.id), 0)"
    )
    op.execute(
        "UPDATE plans SET epoch = (SELECT epoch FROM sessions WHERE id = session_id) WHERE watermark IS NOT NULL"
    )
    op.execute(
        "UPDATE impressions SET epoch = (SELECT epoch FROM sessions WHERE id = session_id)"
        " WHERE epoch IS NULL AND sequence <= (SELECT watermark FROM sessions WHERE id = session_id)"
    )
    op.execute(
        "UPDATE impressions SET epoch = NULL, void = false"
        " WHERE sequence > (SELECT watermark FROM sessions WHERE id = session_id)"
    )
    op.create_index(
        "ix_impressions_open",
        "impressions",
        ["session_id", "sequence"],
        sqlite_where=sa.text("epoch IS NULL"),
        postgresql_where=sa.text("epoch IS NULL"),
    )
    for table, column in (
        *(("sessions", name) for name in ("watermark", "digest", "first_chained", "delays")),
        *(("plans", name) for name in ("watermark", "digest", "known")),
        ("impressions", "given_up"),
    ):
        op.drop_column(table, column)
