"""Finds and erases conversations that nobody has used for long.

Rules of this module:

- A conversation is kept while an action waits for a person, an accepted decision is not carried
  out, or an action is running. Without its pause nothing of an erased conversation can run again.
- It is erased under its lock and in one transaction, in which all of this is asked again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from src.application.errors import ConversationBusyError
from src.infrastructure.database.column_types import from_storable
from src.infrastructure.database.conversation_lock import DatabaseConversationLock
from src.infrastructure.database.database import Database
from src.infrastructure.database.transactions import Transactions

_BATCH = 200
_IDLE = """
    FROM agent_states AS state
    WHERE ns = '' AND used_at > 0 AND used_at < ?
    AND NOT EXISTS (SELECT 1 FROM agent_writes AS w WHERE w.scope = state.scope
        AND w.thread_id = state.thread_id AND w.channel = '__interrupt__')
    AND NOT EXISTS (SELECT 1 FROM agent_reviews AS r WHERE r.scope = state.scope
        AND r.thread_id = state.thread_id AND NOT r.settled)
    AND NOT EXISTS (SELECT 1 FROM agent_actions AS a WHERE a.scope = state.scope
        AND a.thread_id = state.thread_id AND a.status = 'running')
"""
_NEXT_IDLE = (
    f"SELECT scope, thread_id {_IDLE} AND (scope, thread_id) > (?, ?)"
    f" ORDER BY scope, thread_id LIMIT {_BATCH}"
)
_STILL_IDLE = f"SELECT 1 {_IDLE} AND scope = ? AND thread_id = ?"
_OF_THREAD = "scope = ? AND thread_id = ?"
_ERASE_EVENTS = (
    "DELETE FROM agent_run_events WHERE scope = ? AND run_id IN"
    " (SELECT run_id FROM agent_runs WHERE scope = ? AND thread_id = ?)"
)
_ERASE = tuple(
    f"DELETE FROM {table} WHERE {_OF_THREAD}"  # noqa: S608 - constants
    for table in (
        "agent_runs",
        "agent_answers",
        "agent_reviews",
        "agent_actions",
        "agent_messages",
        "agent_writes",
        "agent_states",
    )
)
_START_CLOCK = "UPDATE agent_states SET used_at = ? WHERE used_at = 0"


@dataclass(frozen=True, slots=True)
class IdleConversation:
    """One that may be erased; the ids are as the tables hold them."""

    scope: str
    stored_thread_id: str


class IdleConversations:
    """The conversations of all agents whose last use lies before a moment.

    Args:
        database: where they are.
        before: that moment, in seconds since 1970.
    """

    def __init__(self, database: Database, before: int) -> None:
        self._locks = database.locks
        self._transactions = Transactions(database.engine)
        self._before = before

    def start_clocks(self, now: int) -> None:
        """Let conversations whose last use nobody knows rest from now on."""
        with self._transactions.write() as cursor:
            cursor.execute(self._transactions.sql(_START_CLOCK), (now,))

    def __iter__(self) -> Iterator[IdleConversation]:
        place = ("", "")
        while batch := self._batch_after(place):
            yield from batch
            place = (batch[-1].scope, batch[-1].stored_thread_id)

    def _batch_after(self, place: tuple[str, str]) -> list[IdleConversation]:
        rows = self._transactions.rows(_NEXT_IDLE, (self._before, *place))
        return [IdleConversation(scope, thread_id) for scope, thread_id in rows]

    def erase(self, found: IdleConversation) -> bool:
        """Erase one from every table, and tell whether it was still idle."""
        lock = DatabaseConversationLock(self._locks, found.scope, wait_seconds=0)
        try:
            with lock.hold(from_storable(found.stored_thread_id)):
                return self._erase(found.scope, found.stored_thread_id)
        except ConversationBusyError:
            return False

    def _erase(self, scope: str, thread_id: str) -> bool:
        sql = self._transactions.sql
        with self._transactions.write() as cursor:
            idle = cursor.execute(sql(_STILL_IDLE), (self._before, scope, thread_id))
            if idle.fetchone() is None:
                return False
            cursor.execute(sql(_ERASE_EVENTS), (scope, scope, thread_id))
            for statement in _ERASE:
                cursor.execute(sql(statement), (scope, thread_id))
        return True
