"""When a state was stored"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    # 0 says that nobody knows: of states from before, and of those that an older release stores.
    op.add_column(
        "agent_states", sa.Column("used_at", sa.BigInteger, nullable=False, server_default="0")
    )


def downgrade() -> None:
    op.drop_column("agent_states", "used_at")
