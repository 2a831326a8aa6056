"""Reviews, actions and answers"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

row_number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
moment = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "agent_reviews",
        sa.Column("id", row_number, primary_key=True),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("thread_id", sa.Text, nullable=False),
        sa.Column("review_id", sa.Text, nullable=False),
        sa.Column("pending_review", sa.Text, nullable=False),
        sa.Column("decisions", sa.Text, nullable=False),
        sa.Column("resume", sa.Text, nullable=False),
        sa.Column("accepted_at", moment, nullable=False),
        sa.Column("settled", sa.Boolean, nullable=False),
        sa.UniqueConstraint("scope", "thread_id", "review_id", name="uq_agent_reviews"),
    )
    op.create_table(
        "agent_actions",
        sa.Column("id", row_number, primary_key=True),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("thread_id", sa.Text, nullable=False),
        sa.Column("tool_call_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("args", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text),
        sa.Column("claimed_at", moment, nullable=False),
        sa.Column("finished_at", moment),
        sa.UniqueConstraint("scope", "key", name="uq_agent_actions"),
    )
    op.create_index("ix_agent_actions_thread", "agent_actions", ["scope", "thread_id"])
    op.create_table(
        "agent_answers",
        sa.Column("id", row_number, primary_key=True),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("thread_id", sa.Text, nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("saved_at", moment, nullable=False),
        sa.UniqueConstraint("scope", "key", name="uq_agent_answers"),
    )
    op.create_index("ix_agent_answers_thread", "agent_answers", ["scope", "thread_id"])
    op.create_index("ix_agent_answers_saved_at", "agent_answers", ["saved_at"])


def downgrade() -> None:
    op.drop_table("agent_answers")
    op.drop_table("agent_actions")
    op.drop_table("agent_reviews")
