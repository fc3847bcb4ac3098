"""Add ids to plans, a counter of beats to uptimes, and to sessions what was open when the clock was set."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the columns; servers of the previous version continue to work without them."""
    text, number = sa.text("''"), sa.text("0")
    op.add_column("plans", sa.Column("id", sa.Text(), nullable=False, server_default=text))
    op.add_column("sessions", sa.Column("plan_id", sa.Text(), nullable=False, server_default=text))
    op.add_column("sessions", sa.Column("open_at_clock_step", sa.BigInteger(), nullable=False, server_default=number))
    op.add_column("sessions", sa.Column("clock_step_at", sa.Double(), nullable=False, server_default=number))
    op.add_column("uptimes", sa.Column("beats", sa.BigInteger(), nullable=False, server_default=number))


def downgrade() -> None:
    """Drops the columns."""
    op.drop_column("uptimes", "beats")
    op.drop_column("sessions", "clock_step_at")
    op.drop_column("sessions", "open_at_clock_step")
    op.drop_column("sessions", "plan_id")
    op.drop_column("plans", "id")
