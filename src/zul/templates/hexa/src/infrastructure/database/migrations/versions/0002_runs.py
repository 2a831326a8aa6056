"""Runs and their events"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

row_number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
moment = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "agent_runs",
        sa.Column("id", row_number, primary_key=True),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("thread_id", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.Text, nullable=False),
        sa.Column("finished", sa.Boolean, nullable=False),
        sa.Column("started_at", moment, nullable=False),
        sa.UniqueConstraint("scope", "run_id", name="uq_agent_runs"),
    )
    op.create_index("ix_agent_runs_thread", "agent_runs", ["scope", "thread_id"])
    op.create_index("ix_agent_runs_started_at", "agent_runs", ["started_at"])
    op.create_table(
        "agent_run_events",
        sa.Column("id", row_number, primary_key=True),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text, nullable=False),
        sa.Column("last_number", sa.Integer, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
    )
    op.create_index(
        "ix_agent_run_events_run", "agent_run_events", ["scope", "run_id", "last_number"]
    )


def downgrade() -> None:
    op.drop_table("agent_run_events")
    op.drop_table("agent_runs")
