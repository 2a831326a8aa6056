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
  leaves the state before, as if that step had not ended. The input's state is stored after all when
  a task of its step pauses, fails or calls another one: there are workflows without a first step
  that only hands the input on.
- Order among states is what LangGraph says is the parent of what, and what this process wrote
  itself. Ids hold the time of whoever made them, whose clock may be ahead.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from typing_extensions import override

from src.application.conversation import WHOLE_HISTORY
from src.application.errors import StoreError
from src.infrastructure.AI.memory.checkpoint_config import (
    Place,
    config_of,
    fits,
    is_named,
    offset_in,
    place_in,
)
from src.infrastructure.AI.memory.held_states import HeldStates
from src.infrastructure.AI.memory.known_state import KnownState
from src.infrastructure.AI.memory.pregel_steps import is_input, is_over, is_replaced_at_once
from src.infrastructure.AI.memory.refusals import refuse_changes_only, refuse_earlier
from src.infrastructure.AI.memory.state_cache import StateCache
from src.infrastructure.AI.memory.state_codec import StateCodec, message_ids
from src.infrastructure.AI.memory.state_rows import StateRows, StoredState
from src.infrastructure.AI.memory.threaded_saver import ThreadedSaver


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
        self._held = HeldStates()
        self._codec = StateCodec(self.serde)

    @override
    def get_next_version(self, current: int | None, channel: None) -> int:
        return (current or 0) + 1

    @override
    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the state of a thread.

        Raises:
            EarlierStateError: the config names an earlier state. A run from there would start
                without any history, and replace what is stored.
        """
        thread_id, ns, wanted_id = place_in(config)
        self._held.store((thread_id, ns), wanted_id)
        found = self._newest(config)
        if found is not None:
            refuse_earlier(wanted_id, found.checkpoint["id"])
        return found if found is not None and is_named(found, wanted_id) else None

    def _newest(self, config: RunnableConfig) -> CheckpointTuple | None:
        place = place_in(config)
        whole = bool(config["configurable"].get(WHOLE_HISTORY))
        stored, known = self._read(place, whole=whole)
        if stored is None:
            return None
        checkpoint = self._codec.read_state(stored)
        known = known or self._codec.read_messages(stored, checkpoint)
        if known is not None and not whole:
            known = known.within(self._window)
            self._cache.keep(place.thread_id, place.ns, known)
        return self._codec.checkpoint_tuple(place, stored, checkpoint, known)

    def _read(self, place: Place, *, whole: bool) -> tuple[StoredState | None, KnownState | None]:
        """Read the newest state, and its messages only if this process does not know them."""
        thread_id, ns, _ = place
        known: KnownState | None = None

        def knows(checkpoint_id: str) -> bool:
            nonlocal known
            known = None if whole else self._cache.find(thread_id, ns, checkpoint_id)
            return known is not None

        with self._store_errors():
            window = None if whole else self._window
            stored = self._rows.read(thread_id, ns, window=window, knows=knows)
        return stored, known

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
                configs = [config_of(thread_id, "", None) for thread_id in self._rows.threads()]
        else:
            configs = [config]
        wanted_id = place_in(config).checkpoint_id if config else None
        found = (self._newest(each) for each in configs)
        named = (each for each in found if each is not None and is_named(each, wanted_id))
        fitting = (each for each in named if fits(each, filter, before))
        yield from islice(fitting, limit)

    @override
    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        refuse_changes_only(metadata)
        thread_id, ns, parent_id = place_in(config)
        # First of all: what was held back may just be stored, and then the cache says so.
        self._held.settle((thread_id, ns))
        offset = offset_in(config)
        before = self._cache.find(thread_id, ns, parent_id)
        replaces = before.stored_id if before is not None else parent_id
        new = self._codec.known(checkpoint, offset)
        changed = new.changes_since(before, self._cache.take_rewritten(thread_id, ns))
        size = before.size if before is not None and changed is not None else 0

        def store() -> None:
            try:
                stored = self._codec.stored(config, checkpoint, metadata, new)
                written = self._replace(place_in(config), stored, replaces, new, changed)
            except BaseException:
                # A node may have changed a message in place that is stored as it was before.
                self._cache.forget(thread_id)
                raise
            self._cache.keep(thread_id, ns, replace(new, size=size + written))

        is_held = is_input(metadata) and (parent_id is None or changed == [])
        if is_held:
            self._cache.keep(thread_id, ns, replace(new, stored_id=replaces, size=size))
            is_held = self._held.hold((thread_id, ns), checkpoint["id"], store)
        if not is_held:
            store()
        return config_of(thread_id, ns, checkpoint["id"], offset)

    def _replace(
        self,
        place: Place,
        stored: StoredState,
        replaces: str | None,
        known: KnownState,
        changed: Sequence[int] | None,
    ) -> int:
        """Store a state and return how many bytes its new messages are."""
        every = range(len(known.messages))
        rows = self._codec.message_rows(known, every if changed is None else changed)
        with self._store_errors():
            self._rows.replace(
                place.thread_id,
                place.ns,
                stored,
                replaces=replaces,
                changed=None if changed is None else rows,
                everything=lambda: (
                    rows if changed is None else self._codec.message_rows(known, every)
                ),
            )
        return sum(len(row.data) for row in rows)

    @override
    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        thread_id, ns, named_id = place_in(config)
        checkpoint_id = named_id or ""
        # A node may change a message in place and return it; then it is the same object as before.
        self._cache.note_rewritten(thread_id, ns, message_ids(writes))
        known = self._cache.newest(thread_id, ns)
        if is_replaced_at_once(known, checkpoint_id, writes, task_path):
            return
        self._held.need((thread_id, ns), checkpoint_id)
        step = (thread_id, ns, checkpoint_id)
        overwrite = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        with self._store_errors():
            self._rows.save_writes(*step, task_id, self._codec.writes(writes), overwrite=overwrite)
            if is_over(self._cache.newest(thread_id, ns), checkpoint_id):
                # More than one state came in between; the rows know the last one's parent only.
                self._rows.drop_writes(*step)

    @override
    def delete_thread(self, thread_id: str) -> None:
        with self._store_errors():
            self._rows.delete(thread_id)
        self._cache.forget(thread_id)
        self._held.forget(thread_id)

    @override
    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete threads; with ``keep_latest`` there is nothing to do: only that is kept."""
        if strategy == "delete":
            for thread_id in thread_ids:
                self.delete_thread(thread_id)

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except self._driver_errors as error:
            raise StoreError from error
