from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard, cast

from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from src.infrastructure.AI.memory.checkpoint_config import (
    Place,
    config_of,
    place_in,
)
from src.infrastructure.AI.memory.known_state import KnownState
from src.infrastructure.AI.memory.pregel_steps import has_one_task, messages_in
from src.infrastructure.AI.memory.state_rows import MessageRow, StoredState

_MESSAGES = "messages"


class StateCodec:
    """Turns LangGraph's checkpoints and writes into rows, and rows into checkpoints.

    Args:
        serde: how values become bytes.
    """

    def __init__(self, serde: SerializerProtocol) -> None:
        self._serde = serde

    def known(self, checkpoint: Checkpoint, offset: int) -> KnownState:
        """Return what there is to remember of a new state, as one that is stored."""
        messages = checkpoint["channel_values"].get(_MESSAGES)
        return KnownState(
            checkpoint_id=checkpoint["id"],
            stored_id=checkpoint["id"],
            written_here=True,
            has_one_task=has_one_task(checkpoint),
            offset=offset,
            messages=tuple(messages) if _are_messages(messages) else (),
        )

    def stored(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        known: KnownState,
    ) -> StoredState:
        """Return a new state as bytes, without the messages that are known of it."""
        place = place_in(config)
        values = dict(checkpoint["channel_values"])
        messages = values.get(_MESSAGES)
        # Anything else in that channel has left no known messages.
        has_messages = isinstance(messages, list) and len(messages) == len(known.messages)
        if has_messages:
            del values[_MESSAGES]
        return StoredState(
            checkpoint_id=checkpoint["id"],
            parent_id=place.checkpoint_id,
            root_id=metadata.get("parents", {}).get("", "") if place.ns else "",
            state=self._dump({**checkpoint, "channel_values": values}),
            metadata=self._dump(get_checkpoint_metadata(config, metadata)),
            message_count=known.offset + len(known.messages) if has_messages else None,
        )

    def message_rows(self, known: KnownState, which: Iterable[int]) -> list[MessageRow]:
        """Return these messages with their places in the whole history."""
        return [
            MessageRow(
                position=known.offset + i,
                from_user=known.messages[i].type == "human",
                data=self._dump(known.messages[i]),
            )
            for i in which
        ]

    def writes(self, writes: Sequence[tuple[str, Any]]) -> list[tuple[int, str, bytes]]:
        """Return what a task wrote with the index that LangGraph gives each."""
        return [
            (WRITES_IDX_MAP.get(channel, index), channel, self._dump(value))
            for index, (channel, value) in enumerate(writes)
        ]

    def read_state(self, stored: StoredState) -> Checkpoint:
        """Return a stored state without its messages."""
        return cast("Checkpoint", self._load(stored.state))

    def read_messages(self, stored: StoredState, checkpoint: Checkpoint) -> KnownState | None:
        """Return the messages read with a state; ``None`` if it has no channel of them."""
        if stored.message_count is None:
            return None
        rows = stored.messages or []
        messages = tuple(cast("BaseMessage", self._load(row)) for row in rows)
        return KnownState(
            checkpoint_id=stored.checkpoint_id,
            stored_id=stored.checkpoint_id,
            written_here=False,
            has_one_task=has_one_task(checkpoint),
            offset=stored.message_count - len(messages),
            messages=messages,
            size=sum(map(len, rows)),
        )

    def checkpoint_tuple(
        self, place: Place, stored: StoredState, checkpoint: Checkpoint, known: KnownState | None
    ) -> CheckpointTuple:
        """Put together what LangGraph asked for."""
        if known is not None:
            checkpoint["channel_values"][_MESSAGES] = list(known.messages)
        offset = None if known is None else known.offset
        parent_id = stored.parent_id
        return CheckpointTuple(
            config=config_of(place.thread_id, place.ns, stored.checkpoint_id, offset),
            checkpoint=checkpoint,
            metadata=cast("CheckpointMetadata", self._load(stored.metadata)),
            parent_config=config_of(place.thread_id, place.ns, parent_id) if parent_id else None,
            pending_writes=[
                (task_id, channel, self._load(value)) for task_id, channel, value in stored.writes
            ],
        )

    def _dump(self, value: Any) -> bytes:
        kind, data = self._serde.dumps_typed(value)
        return kind.encode() + b"\n" + data

    def _load(self, data: bytes) -> Any:
        kind, _, rest = data.partition(b"\n")
        return self._serde.loads_typed((kind.decode(), rest))


def message_ids(writes: Sequence[tuple[str, Any]]) -> list[str | None]:
    """Return the ids of all messages that a task wrote."""
    return [
        message.id
        for channel, value in writes
        if channel == _MESSAGES
        for message in messages_in(value)
    ]


def _are_messages(value: Any) -> TypeGuard[list[BaseMessage]]:
    return isinstance(value, list) and all(isinstance(each, BaseMessage) for each in value)
