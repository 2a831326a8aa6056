"""States, messages and writes of the checkpointer"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def place() -> list[sa.Column[str]]:
    return [
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("thread_id", sa.Text, primary_key=True),
        sa.Column("ns", sa.Text, primary_key=True),
    ]


def upgrade() -> None:
    op.create_table(
        "agent_states",
        *place(),
        sa.Column("checkpoint_id", sa.Text, nullable=False),
        sa.Column("parent_id", sa.Text),
        sa.Column("root_id", sa.Text, nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.Column("metadata", sa.LargeBinary, nullable=False),
        sa.Column("message_count", sa.Integer),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "agent_messages",
        *place(),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("from_user", sa.Boolean, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "agent_writes",
        *place(),
        sa.Column("checkpoint_id", sa.Text, primary_key=True),
        sa.Column("task_id", sa.Text, primary_key=True),
        sa.Column("idx", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    for table in ("agent_writes", "agent_messages", "agent_states"):
        op.drop_table(table)
