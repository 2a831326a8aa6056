"""Every table of the service.

A change here needs a migration beside it: ``alembic revision --autogenerate --rev-id NNNN -m ...``,
with the number after the newest file in ``migrations/versions``.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from src.infrastructure.database.column_types import AnyText, JsonText, UtcDateTime

metadata = MetaData()

# SQLite numbers rows by itself only in a column declared INTEGER.
_RowNumber = BigInteger().with_variant(Integer, "sqlite")

reviews = Table(
    "agent_reviews",
    metadata,
    Column("id", _RowNumber, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("thread_id", AnyText, nullable=False),
    Column("review_id", AnyText, nullable=False),
    Column("pending_review", JsonText, nullable=False),
    Column("decisions", JsonText, nullable=False),
    Column("resume", JsonText, nullable=False),
    Column("accepted_at", UtcDateTime, nullable=False),
    Column("settled", Boolean, nullable=False),
    UniqueConstraint("scope", "thread_id", "review_id", name="uq_agent_reviews"),
)

actions = Table(
    "agent_actions",
    metadata,
    Column("id", _RowNumber, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("key", AnyText, nullable=False),
    Column("thread_id", AnyText, nullable=False),
    Column("tool_call_id", AnyText, nullable=False),
    Column("name", AnyText, nullable=False),
    Column("args", JsonText, nullable=False),
    Column("status", Text, nullable=False),
    Column("outcome", JsonText),
    Column("claimed_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    UniqueConstraint("scope", "key", name="uq_agent_actions"),
    Index("ix_agent_actions_thread", "scope", "thread_id"),
)

answers = Table(
    "agent_answers",
    metadata,
    Column("id", _RowNumber, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("key", AnyText, nullable=False),
    Column("fingerprint", AnyText, nullable=False),
    Column("thread_id", AnyText, nullable=False),
    Column("status", Integer, nullable=False),
    Column("body", AnyText, nullable=False),
    Column("saved_at", UtcDateTime, nullable=False),
    UniqueConstraint("scope", "key", name="uq_agent_answers"),
    Index("ix_agent_answers_thread", "scope", "thread_id"),
    Index("ix_agent_answers_saved_at", "saved_at"),
)

runs = Table(
    "agent_runs",
    metadata,
    Column("id", _RowNumber, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("thread_id", AnyText, nullable=False),
    Column("fingerprint", AnyText, nullable=False),
    Column("finished", Boolean, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    UniqueConstraint("scope", "run_id", name="uq_agent_runs"),
    Index("ix_agent_runs_thread", "scope", "thread_id"),
    Index("ix_agent_runs_started_at", "started_at"),
)

# A row holds the events of a moment: a token each would be a row each.
run_events = Table(
    "agent_run_events",
    metadata,
    Column("id", _RowNumber, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("run_id", AnyText, nullable=False),
    Column("last_number", Integer, nullable=False),
    Column("events", JsonText, nullable=False),
    Index("ix_agent_run_events_run", "scope", "run_id", "last_number"),
)

# The three tables below are the checkpointer's; it keeps one state a graph of a thread.
states = Table(
    "agent_states",
    metadata,
    Column("scope", Text, primary_key=True),
    Column("thread_id", AnyText, primary_key=True),
    Column("ns", AnyText, primary_key=True),
    Column("checkpoint_id", Text, nullable=False),
    Column("parent_id", Text),
    Column("root_id", Text, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("metadata", LargeBinary, nullable=False),
    Column("message_count", Integer),
    # Seconds since 1970; 0 when nobody knows.
    Column("used_at", BigInteger, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)

messages = Table(
    "agent_messages",
    metadata,
    Column("scope", Text, primary_key=True),
    Column("thread_id", AnyText, primary_key=True),
    Column("ns", AnyText, primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("from_user", Boolean, nullable=False),
    Column("data", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

writes = Table(
    "agent_writes",
    metadata,
    Column("scope", Text, primary_key=True),
    Column("thread_id", AnyText, primary_key=True),
    Column("ns", AnyText, primary_key=True),
    Column("checkpoint_id", Text, primary_key=True),
    Column("task_id", Text, primary_key=True),
    Column("idx", Integer, primary_key=True, autoincrement=False),
    Column("channel", AnyText, nullable=False),
    Column("value", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
