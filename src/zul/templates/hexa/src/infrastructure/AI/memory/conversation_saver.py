"""A checkpointer that keeps the newest state of a conversation, and each message once.

LangGraph's own savers store the whole history again at every step, so a thread of a thousand turns
takes hundreds of times the room of its messages. This one keeps one state a thread and the
messages in rows of their own; a step writes what is new. Nobody can travel back to earlier states;
nothing in this service does.

Rules of this module:

- A state, its messages and the end of the step before it are one transaction.
- Only changes are written when the state in the database is the one that the run started from;
  otherwise all messages that the run knows are.
- Writes of a step are kept until the state after it is stored, states of graphs called inside a
  step until that step is over.
- What is followed at once by something that replaces it is not stored: the state between the
  user's message and the first step, and what the only task of a step wrote. A crash in between
  leaves the state before, and nothing has run since.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, TypeGuard, cast

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from typing_extensions import override

from src.application.conversation import WHOLE_HISTORY
from src.application.errors import StoreError
from src.infrastructure.AI.memory.pregel_steps import (
    has_one_task,
    is_end_of_node,
    is_input,
    is_start,
)
from src.infrastructure.AI.memory.state_cache import KnownState, StateCache
from src.infrastructure.AI.memory.state_rows import MessageRow, StateRows, StoredState
from src.infrastructure.AI.memory.threaded_saver import ThreadedSaver

_MESSAGES = "messages"
_OFFSET = "messages_offset"

# Inside the class ``list`` is the method.
_MessageList = list[BaseMessage]


class ConversationSaver(ThreadedSaver):
    """Stores the conversations of one agent.

    Args:
        engine: of a database whose schema is up to date.
        scope: the agent's name; the same thread id under two scopes is two conversations.
        driver_errors: what the driver raises; it leaves as ``StoreError``.
        window: load about this many of the newest messages, from a message of the user on;
            ``None`` loads all. What is not loaded stays stored.
        serde: how values become bytes.
    """

    def __init__(
        self,
        engine: Engine,
        scope: str,
        driver_errors: tuple[type[Exception], ...],
        *,
        window: int | None = None,
        serde: SerializerProtocol | None = None,
    ) -> None:
        super().__init__(serde=serde)
        self._rows = StateRows(engine, scope)
        self._driver_errors: tuple[type[Exception], ...] = (*driver_errors, SQLAlchemyError)
        self._window = window
        self._cache = StateCache()

    @override
    def get_next_version(self, current: int | None, channel: None) -> int:
        return (current or 0) + 1

    @override
    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread_id, ns, wanted_id = _place(config)
        whole = bool(config["configurable"].get(WHOLE_HISTORY))
        known: KnownState | None = None

        def knows(checkpoint_id: str) -> bool:
            nonlocal known
            known = None if whole else self._cache.find(thread_id, ns, checkpoint_id)
            return known is not None

        with self._store_errors():
            window = None if whole else self._window
            stored = self._rows.read(thread_id, ns, window=window, knows=knows)
        if stored is None or wanted_id not in {None, stored.checkpoint_id}:
            return None
        checkpoint = cast("Checkpoint", self._load(stored.state))
        loaded = known or self._loaded(stored, checkpoint)
        if loaded is not None and not whole:
            loaded = self._within_window(loaded)
            self._cache.keep(thread_id, ns, loaded)
        return self._tuple(thread_id, ns, stored, checkpoint, loaded)

    def _loaded(self, stored: StoredState, checkpoint: Checkpoint) -> KnownState | None:
        if stored.message_count is None:
            return None
        rows = stored.messages or []
        messages = tuple(cast("BaseMessage", self._load(row)) for row in rows)
        return KnownState(
            checkpoint_id=stored.checkpoint_id,
            stored_id=stored.checkpoint_id,
            has_one_task=has_one_task(checkpoint),
            offset=stored.message_count - len(messages),
            messages=messages,
        )

    def _within_window(self, known: KnownState) -> KnownState:
        """Shorten what is known, down to a message of the user, so that no result is orphaned."""
        surplus = len(known.messages) - (self._window or len(known.messages))
        if surplus <= 0:
            return known
        users = [i for i, message in enumerate(known.messages) if message.type == "human"]
        start = next((i for i in users if i >= surplus), users[-1] if users else 0)
        return replace(known, offset=known.offset + start, messages=known.messages[start:])

    def _tuple(
        self,
        thread_id: str,
        ns: str,
        stored: StoredState,
        checkpoint: Checkpoint,
        loaded: KnownState | None,
    ) -> CheckpointTuple:
        config = _config(thread_id, ns, stored.checkpoint_id)
        if loaded is not None:
            checkpoint["channel_values"][_MESSAGES] = list(loaded.messages)
            # Comes back with the next state; the cache may have forgotten it by then.
            config["configurable"][_OFFSET] = loaded.offset
        return CheckpointTuple(
            config=config,
            checkpoint=checkpoint,
            metadata=cast("CheckpointMetadata", self._load(stored.metadata)),
            parent_config=_config(thread_id, ns, stored.parent_id) if stored.parent_id else None,
            pending_writes=[
                (task_id, channel, self._load(value)) for task_id, channel, value in stored.writes
            ],
        )

    @override
    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        if config is None:
            with self._store_errors():
                configs = [_config(thread_id, "", None) for thread_id in self._rows.threads()]
        else:
            configs = [config]
        found = (self.get_tuple(each) for each in configs)
        fitting = (each for each in found if each is not None and _fits(each, filter, before))
        yield from islice(fitting, limit)

    @override
    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        thread_id, ns, parent_id = _place(config)
        values = dict(checkpoint["channel_values"])
        messages = tuple(values.pop(_MESSAGES)) if _are_messages(values.get(_MESSAGES)) else None
        offset = int(config["configurable"].get(_OFFSET, 0))
        before = self._cache.find(thread_id, ns, parent_id)
        stored_id = before.stored_id if before is not None else parent_id
        new = KnownState(
            checkpoint_id=checkpoint["id"],
            stored_id=checkpoint["id"],
            has_one_task=has_one_task(checkpoint),
            offset=offset,
            messages=messages or (),
        )
        changed = self._changes(before, new, self._cache.take_rewritten(thread_id, ns))
        if is_input(metadata) and (parent_id is None or changed == []):
            new = replace(new, stored_id=stored_id)
        else:
            stored = StoredState(
                checkpoint_id=checkpoint["id"],
                parent_id=parent_id,
                root_id=metadata.get("parents", {}).get("", "") if ns else "",
                state=self._dump({**checkpoint, "channel_values": values}),
                metadata=self._dump(get_checkpoint_metadata(config, metadata)),
                message_count=None if messages is None else offset + len(messages),
            )
            with self._store_errors():
                self._rows.replace(
                    thread_id,
                    ns,
                    stored,
                    replaces=stored_id,
                    changed=changed,
                    everything=lambda: self._numbered(new, range(len(new.messages))),
                )
        self._cache.keep(thread_id, ns, new)
        next_config = _config(thread_id, ns, checkpoint["id"])
        next_config["configurable"][_OFFSET] = offset
        return next_config

    def _changes(
        self, known: KnownState | None, new: KnownState, rewritten: set[str | None]
    ) -> Sequence[MessageRow] | None:
        """Return the messages that differ; ``None`` when that is not known or some are gone."""
        if known is None or known.offset != new.offset or len(new.messages) < len(known.messages):
            return None
        before = known.messages
        different = [
            i
            for i, message in enumerate(new.messages)
            if i >= len(before) or before[i] is not message or message.id in rewritten
        ]
        return self._numbered(new, different)

    def _numbered(self, new: KnownState, places: Iterable[int]) -> Sequence[MessageRow]:
        return [
            MessageRow(
                position=new.offset + i,
                from_user=new.messages[i].type == "human",
                data=self._dump(new.messages[i]),
            )
            for i in places
        ]

    @override
    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        thread_id, ns, checkpoint_id = _place(config)
        # A node may change a message in place and return it; then it is the same object as before.
        for channel, value in writes:
            if channel == _MESSAGES and _are_messages(value):
                self._cache.note_rewritten(thread_id, ns, [message.id for message in value])
        if self._is_replaced_at_once(thread_id, ns, checkpoint_id, writes, task_path):
            return
        with self._store_errors():
            self._rows.save_writes(
                thread_id,
                ns,
                checkpoint_id or "",
                task_id,
                [
                    (WRITES_IDX_MAP.get(channel, index), channel, self._dump(value))
                    for index, (channel, value) in enumerate(writes)
                ],
                overwrite=all(channel in WRITES_IDX_MAP for channel, _ in writes),
            )

    def _is_replaced_at_once(
        self,
        thread_id: str,
        ns: str,
        checkpoint_id: str | None,
        writes: Sequence[tuple[str, Any]],
        task_path: str,
    ) -> bool:
        if is_start(task_path):
            return True
        known = self._cache.newest(thread_id, ns)
        # LangGraph's threads may bring writes before the state of their step, or when it is over.
        if known is None or checkpoint_id is None or known.checkpoint_id < checkpoint_id:
            return False
        is_step_over = known.checkpoint_id > checkpoint_id
        return is_step_over or (known.has_one_task and is_end_of_node(writes, task_path))

    @override
    def delete_thread(self, thread_id: str) -> None:
        with self._store_errors():
            self._rows.delete(thread_id)
        self._cache.forget(thread_id)

    @override
    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete threads; with ``keep_latest`` there is nothing to do: only that is kept."""
        if strategy == "delete":
            for thread_id in thread_ids:
                self.delete_thread(thread_id)

    def _dump(self, value: Any) -> bytes:
        kind, data = self.serde.dumps_typed(value)
        return kind.encode() + b"\n" + data

    def _load(self, data: bytes) -> Any:
        kind, _, rest = data.partition(b"\n")
        return self.serde.loads_typed((kind.decode(), rest))

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except self._driver_errors as error:
            raise StoreError from error


def _place(config: RunnableConfig) -> tuple[str, str, str | None]:
    configurable = config["configurable"]
    return (
        str(configurable["thread_id"]),
        configurable.get("checkpoint_ns", ""),
        configurable.get("checkpoint_id"),
    )


def _config(thread_id: str, ns: str, checkpoint_id: str | None) -> RunnableConfig:
    configurable = {"thread_id": thread_id, "checkpoint_ns": ns}
    if checkpoint_id is not None:
        configurable["checkpoint_id"] = checkpoint_id
    return {"configurable": configurable}


def _are_messages(value: Any) -> TypeGuard[_MessageList]:
    return isinstance(value, list) and all(isinstance(each, BaseMessage) for each in value)


def _fits(
    found: CheckpointTuple, wanted: dict[str, Any] | None, before: RunnableConfig | None
) -> bool:
    if before is not None and found.checkpoint["id"] >= before["configurable"]["checkpoint_id"]:
        return False
    metadata = cast("dict[str, Any]", found.metadata)
    return all(metadata.get(key) == value for key, value in (wanted or {}).items())
