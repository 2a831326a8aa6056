import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine

from src.infrastructure.AI.memory.state_statements import (
    ADVANCE,
    CUT_MESSAGES,
    DELETE_GRAPH,
    DELETE_THREAD,
    DROP_OLD_WRITES,
    FIRST_USER_MESSAGE,
    INNER_STATES,
    LAST_USER_MESSAGE,
    OVERWRITE,
    READ_MESSAGES,
    READ_STATE,
    READ_WRITES,
    SAVE_MESSAGE,
    SAVE_WRITE,
    THREADS,
)
from src.infrastructure.database.column_types import from_storable, to_storable
from src.infrastructure.database.transactions import Transactions


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredState:
    """A state as bytes.

    Attributes:
        root_id: the state of the outermost graph in whose step this one was made; empty there.
        message_count: how many messages the whole history has; ``None`` without any channel of
            messages.
        messages: those that were asked for; ``None`` when the reader knows them.
        writes: what tasks of the step after this state have written: task, channel, value.
    """

    checkpoint_id: str
    parent_id: str | None
    root_id: str
    state: bytes
    metadata: bytes
    message_count: int | None
    messages: list[bytes] | None = None
    writes: tuple[tuple[str, str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message at its place in the history."""

    position: int
    from_user: bool
    data: bytes


class StateRows:
    """The rows of one agent's states; each method is one transaction."""

    def __init__(self, engine: Engine, scope: str) -> None:
        self._transactions = Transactions(engine)
        self._scope = to_storable(scope)

    def read(
        self, thread_id: str, ns: str, *, window: int | None, knows: Callable[[str], bool]
    ) -> StoredState | None:
        """Return the state of a thread.

        Args:
            thread_id: the conversation.
            ns: the graph inside it; empty for the outermost.
            window: about how many of the newest messages to read; ``None`` reads all.
            knows: tells whether the reader knows the messages of this checkpoint id already.
        """
        place = self._place(thread_id, ns)
        sql = self._transactions.sql
        with self._transactions.read() as cursor:
            row = cursor.execute(sql(READ_STATE), place).fetchone()
            if row is None:
                return None
            checkpoint_id, count = row[0], row[5]
            writes = cursor.execute(sql(READ_WRITES), (*place, checkpoint_id)).fetchall()
            messages: list[bytes] | None = None
            if count is not None and not knows(checkpoint_id):
                start = self._window_start(cursor, place, count, window)
                rows = cursor.execute(sql(READ_MESSAGES), (*place, start, count)).fetchall()
                messages = [bytes(data) for (data,) in rows]
        return StoredState(
            checkpoint_id=checkpoint_id,
            parent_id=row[1],
            root_id=row[2],
            state=bytes(row[3]),
            metadata=bytes(row[4]),
            message_count=count,
            messages=messages,
            writes=tuple((task, channel, bytes(value)) for task, channel, value in writes),
        )

    def _window_start(
        self, cursor: Any, place: tuple[str, ...], count: int, window: int | None
    ) -> int:
        if window is None or count <= window:
            return 0
        sql = self._transactions.sql
        inside = (*place, count - window, count)
        (start,) = cursor.execute(sql(FIRST_USER_MESSAGE), inside).fetchone()
        if start is None:
            (start,) = cursor.execute(sql(LAST_USER_MESSAGE), (*place, count)).fetchone()
        return int(start or 0)

    def replace(
        self,
        thread_id: str,
        ns: str,
        state: StoredState,
        *,
        changed: Sequence[MessageRow] | None,
        everything: Callable[[], Sequence[MessageRow]],
    ) -> None:
        """Store a state in place of its parent, and drop what the parent's step left.

        Args:
            thread_id: the conversation.
            ns: the graph inside it.
            state: the new state.
            changed: messages that differ from the parent's; ``None`` when that is not known.
            everything: all messages from the first one that was loaded; asked for when the parent
                is not what is stored.
        """
        place = self._place(thread_id, ns)
        values = (
            state.checkpoint_id,
            state.parent_id,
            state.root_id,
            state.state,
            state.metadata,
            state.message_count,
            int(time.time()),
        )
        with self._transactions.write() as cursor:
            advanced = changed is not None and self._advance(cursor, place, state, values)
            if not advanced:
                cursor.execute(self._transactions.sql(OVERWRITE), (*values, *place))
            rows = changed if advanced and changed is not None else everything()
            self._save_messages(cursor, place, rows, state.message_count, cut=not advanced)
            self._drop_old(cursor, place, state.checkpoint_id)

    def _advance(
        self, cursor: Any, place: tuple[str, ...], state: StoredState, values: tuple[Any, ...]
    ) -> bool:
        statement = self._transactions.sql(ADVANCE)
        cursor.execute(statement, (*values, *place, state.parent_id))
        return bool(cursor.rowcount == 1)

    def _save_messages(
        self,
        cursor: Any,
        place: tuple[str, ...],
        rows: Sequence[MessageRow],
        count: int | None,
        *,
        cut: bool,
    ) -> None:
        if cut:
            first = rows[0].position if rows else (count or 0)
            cursor.execute(self._transactions.sql(CUT_MESSAGES), (*place, first))
        if rows:
            cursor.executemany(
                self._transactions.sql(SAVE_MESSAGE),
                [(*place, row.position, row.from_user, row.data) for row in rows],
            )

    def _drop_old(self, cursor: Any, place: tuple[str, ...], checkpoint_id: str) -> None:
        sql = self._transactions.sql
        cursor.execute(sql(DROP_OLD_WRITES), (*place, checkpoint_id))
        scope, thread_id, ns = place
        if ns:
            return
        inner = cursor.execute(sql(INNER_STATES), (scope, thread_id, checkpoint_id)).fetchall()
        for (inner_ns,) in inner:
            for statement in DELETE_GRAPH:
                cursor.execute(sql(statement), (scope, thread_id, inner_ns))

    def save_writes(
        self,
        thread_id: str,
        ns: str,
        checkpoint_id: str,
        task_id: str,
        writes: Sequence[tuple[int, str, bytes]],
        *,
        overwrite: bool,
    ) -> None:
        """Keep what a task has written (index, channel, value), unless its step is over."""
        action = (
            "UPDATE SET channel = excluded.channel, value = excluded.value"
            if overwrite
            else "NOTHING"
        )
        place = self._place(thread_id, ns)
        self._transactions.run(
            SAVE_WRITE + action,
            [(*place, checkpoint_id, task_id, *write, *place, checkpoint_id) for write in writes],
        )

    def delete(self, thread_id: str) -> None:
        """Forget a thread."""
        with self._transactions.write() as cursor:
            for statement in DELETE_THREAD:
                cursor.execute(self._transactions.sql(statement), self._place(thread_id, "")[:2])

    def threads(self) -> list[str]:
        """Return the ids of all threads, the one that rested longest first."""
        with self._transactions.read() as cursor:
            rows = cursor.execute(self._transactions.sql(THREADS), (self._scope,)).fetchall()
        return [from_storable(thread_id) for (thread_id,) in rows]

    def _place(self, thread_id: str, ns: str) -> tuple[str, str, str]:
        return self._scope, to_storable(thread_id), to_storable(ns)
