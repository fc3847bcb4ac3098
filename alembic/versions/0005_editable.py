"""Sessions have a column for settings that can be edited at any time: a new one needs no migration."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; servers of the version before continue without it."""
    default = sa.text("'{}'")
    op.add_column("sessions", sa.Column("editable_settings", sa.Text(), nullable=False, server_default=default))


def downgrade() -> None:
    """Drops the column, with all edited settings except names."""
    op.drop_column("sessions", "editable_settings")
