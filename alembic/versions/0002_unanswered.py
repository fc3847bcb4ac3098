"""Add a column to the evidence: how many impressions of each pair were never answered."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_COUNT = sa.text(
    """
    INSERT INTO evidence (session_id, i, j, version, n, s, clicks_i, clicks_j, epoch, unanswered)
    SELECT session_id, CASE WHEN i < j THEN i ELSE j END, CASE WHEN i < j THEN j ELSE i END, plan_version,
           0, 0, 0, 0, max(epoch), count(*)
    FROM impressions
    WHERE session_id = :session AND counts AND void AND NOT not_shown AND outcome IS NULL
    GROUP BY 1, 2, 3, 4
    ON CONFLICT (session_id, i, j, version) DO UPDATE SET unanswered = excluded.unanswered
    """
)


def upgrade() -> None:
    """Adds the column, and fills it for sessions where missing feedback makes an impression void."""
    op.add_column("evidence", sa.Column("unanswered", sa.BigInteger(), nullable=False, server_default=sa.text("0")))
    connection = op.get_bind()
    for session, settings in connection.execute(sa.text("SELECT id, settings FROM sessions")).all():
        if json.loads(settings)["missing_feedback"] == "void":
            connection.execute(_COUNT, {"session": session})


def downgrade() -> None:
    """Drops the column, and rows that contain nothing else."""
    op.execute("DELETE FROM evidence WHERE n = 0")
    op.drop_column("evidence", "unanswered")
