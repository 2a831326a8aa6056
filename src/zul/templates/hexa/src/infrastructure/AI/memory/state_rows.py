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
    DROP_WRITES,
    FIRST_USER_MESSAGE,
    LAST_USER_MESSAGE,
    LEFT_OVER,
    OVERWRITE,
    READ_MESSAGES,
    READ_STATE,
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
        while True:
            rows = self._transactions.rows(READ_STATE, place)
            if not rows:
                return None
            checkpoint_id, parent_id, root_id, state, metadata, count = rows[0][:6]
            messages: list[bytes] | None = None
            if count and not knows(checkpoint_id):
                messages = self._messages(place, checkpoint_id, count, window)
                if messages is None:
                    continue  # another state has been stored meanwhile
            return StoredState(
                checkpoint_id=checkpoint_id,
                parent_id=parent_id,
                root_id=root_id,
                state=bytes(state),
                metadata=bytes(metadata),
                message_count=count,
                messages=messages,
                writes=tuple((row[6], row[7], bytes(row[8])) for row in rows if row[6] is not None),
            )

    def _messages(
        self, place: tuple[str, ...], checkpoint_id: str, count: int, window: int | None
    ) -> list[bytes] | None:
        start = self._window_start(place, count, window)
        rows = self._transactions.rows(READ_MESSAGES, (start, count, *place, checkpoint_id))
        return [bytes(data) for (data,) in rows if data is not None] if rows else None

    def _window_start(self, place: tuple[str, ...], count: int, window: int | None) -> int:
        if window is None or count <= window:
            return 0
        inside = (*place, count - window, count)
        [(start,)] = self._transactions.rows(FIRST_USER_MESSAGE, inside)
        if start is None:
            [(start,)] = self._transactions.rows(LAST_USER_MESSAGE, (*place, count))
        return int(start or 0)

    def replace(
        self,
        thread_id: str,
        ns: str,
        state: StoredState,
        *,
        replaces: str | None,
        changed: Sequence[MessageRow] | None,
        everything: Callable[[], Sequence[MessageRow]],
    ) -> None:
        """Store a state in place of an earlier one, and drop what the steps before it left.

        Args:
            thread_id: the conversation.
            ns: the graph inside it.
            state: the new state.
            replaces: the state that should be stored now; ``None`` for none.
            changed: messages that differ from that state's; ``None`` when that is not known.
            everything: all messages from the first one that was loaded; asked for when another
                state is stored.
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
            advanced = changed is not None and self._advance(cursor, place, replaces, values)
            if not advanced:
                cursor.execute(self._transactions.sql(OVERWRITE), (*values, *place))
            rows = changed if advanced and changed is not None else everything()
            self._save_messages(cursor, place, rows, state.message_count, cut=not advanced)
            self._drop_old(cursor, place, state.checkpoint_id)

    def _advance(
        self, cursor: Any, place: tuple[str, ...], replaces: str | None, values: tuple[Any, ...]
    ) -> bool:
        if replaces is None:
            return False
        cursor.execute(self._transactions.sql(ADVANCE), (*values, *place, replaces))
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
        scope, thread_id, ns = place
        # Only the outermost graph's states tell when inner ones are over.
        over = "" if ns else checkpoint_id
        cursor.execute(sql(LEFT_OVER), (scope, thread_id, over, *place, checkpoint_id))
        for (left_ns,) in cursor.fetchall():
            if left_ns:
                for statement in DELETE_GRAPH:
                    cursor.execute(sql(statement), (scope, thread_id, left_ns))
            else:
                cursor.execute(sql(DROP_OLD_WRITES), (*place, checkpoint_id))

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

    def drop_writes(self, thread_id: str, ns: str, checkpoint_id: str) -> None:
        """Forget what the tasks of one step have written."""
        self._transactions.run(DROP_WRITES, [(*self._place(thread_id, ns), checkpoint_id)])

    def delete(self, thread_id: str) -> None:
        """Forget a thread."""
        with self._transactions.write() as cursor:
            for statement in DELETE_THREAD:
                cursor.execute(self._transactions.sql(statement), self._place(thread_id, "")[:2])

    def threads(self) -> list[str]:
        """Return the ids of all threads, the one that rested longest first."""
        rows = self._transactions.rows(THREADS, (self._scope,))
        return [from_storable(thread_id) for (thread_id,) in rows]

    def _place(self, thread_id: str, ns: str) -> tuple[str, str, str]:
        return self._scope, to_storable(thread_id), to_storable(ns)
