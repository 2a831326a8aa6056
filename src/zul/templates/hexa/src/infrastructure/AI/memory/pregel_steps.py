"""What LangGraph's checkpoints and writes tell about the steps of a run.

Names of channels and paths of tasks are LangGraph's own business. Each function answers ``False``
to what it does not recognise, and then more is stored than has to be.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import WRITES_IDX_MAP, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.types import INTERRUPT
from langgraph.types import Overwrite

from src.infrastructure.AI.memory.known_state import KnownState

_START = "__start__"
_TO_NODE = "branch:to:"
_OTHER_TRIGGERS = ("__pregel_", "join:")
_NODE_PATH = "~__pregel_pull, "


def is_input(metadata: CheckpointMetadata) -> bool:
    """Tell whether a state is the one that a run makes of its input, before the first step."""
    return metadata.get("source") == "input"


def is_start_over(writes: Sequence[tuple[str, Any]], task_path: str) -> bool:
    """Tell whether the task that hands the input on is over; it may ask somebody where to go.

    One that failed leaves nothing: LangGraph would take it for done, and the turn would end there.
    """
    asks = any(channel == INTERRUPT for channel, _ in writes)
    return task_path == _NODE_PATH + _START and not asks


def messages_in(value: Any) -> list[BaseMessage]:
    """Return the messages that a node returned, alone or with others."""
    if isinstance(value, Overwrite):
        value = value.value
    parts = value if isinstance(value, list) else [value]
    return [part for part in parts if isinstance(part, BaseMessage)]


def has_one_task(checkpoint: Checkpoint) -> bool:
    """Tell whether the step after this state consists of a single node."""
    channels = checkpoint["channel_values"]
    if any(channel.startswith(_OTHER_TRIGGERS) for channel in channels):
        return False
    return sum(channel.startswith(_TO_NODE) for channel in channels) == 1


def is_end_of_node(writes: Sequence[tuple[str, Any]], task_path: str) -> bool:
    """Tell whether writes are all that a node has to say: no error, pause or call inside it."""
    return task_path.startswith(_NODE_PATH) and not any(
        channel in WRITES_IDX_MAP or channel.startswith("__") for channel, _ in writes
    )


def is_replaced_at_once(
    known: KnownState | None,
    checkpoint_id: str | None,
    writes: Sequence[tuple[str, Any]],
    task_path: str,
) -> bool:
    """Tell whether the next state makes what a task wrote superfluous before anybody needs it.

    Args:
        known: the newest state that this process knows of.
        checkpoint_id: the state whose next step the task belongs to.
        writes: channels and values.
        task_path: LangGraph's name for the task's place in the graph.
    """
    if is_start_over(writes, task_path):
        return True
    if known is None or checkpoint_id is None:
        return False
    if known.checkpoint_id == checkpoint_id:
        return known.has_one_task and is_end_of_node(writes, task_path)
    return is_over(known, checkpoint_id)


def is_over(known: KnownState | None, checkpoint_id: str) -> bool:
    """Tell whether this process has made a later state; arguments as above.

    LangGraph's threads may bring writes before the state of their step, or when it is over.
    """
    return known is not None and known.written_here and known.checkpoint_id > checkpoint_id
