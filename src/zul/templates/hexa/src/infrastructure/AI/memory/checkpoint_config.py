"""How LangGraph says which state of which graph it means."""

from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple

_OFFSET = "messages_offset"


class Place(NamedTuple):
    """A state's place.

    Attributes:
        thread_id: the conversation.
        ns: the graph inside it; empty for the outermost.
        checkpoint_id: the state; ``None`` for the newest, or for none yet.
    """

    thread_id: str
    ns: str
    checkpoint_id: str | None


def place_in(config: RunnableConfig) -> Place:
    """Return the place that a configuration names."""
    configurable = config["configurable"]
    return Place(
        str(configurable["thread_id"]),
        configurable.get("checkpoint_ns", ""),
        configurable.get("checkpoint_id"),
    )


def offset_in(config: RunnableConfig) -> int:
    """Return how many messages were left out when the state of a configuration was loaded."""
    return int(config["configurable"].get(_OFFSET, 0))


def config_of(
    thread_id: str, ns: str, checkpoint_id: str | None, offset: int | None = None
) -> RunnableConfig:
    """Return the configuration that names a state.

    The offset travels with it and comes back with the next state; the cache may have forgotten it
    by then.
    """
    configurable: dict[str, Any] = {"thread_id": thread_id, "checkpoint_ns": ns}
    if checkpoint_id is not None:
        configurable["checkpoint_id"] = checkpoint_id
    if offset is not None:
        configurable[_OFFSET] = offset
    return {"configurable": configurable}


def is_named(found: CheckpointTuple, checkpoint_id: str | None) -> bool:
    """Tell whether a state is the one with this id; without an id every one is."""
    return checkpoint_id in {None, found.checkpoint["id"]}


def fits(
    found: CheckpointTuple, wanted: dict[str, Any] | None, before: RunnableConfig | None
) -> bool:
    """Tell whether a state has this metadata and is older than another one."""
    if before is not None and found.checkpoint["id"] >= before["configurable"]["checkpoint_id"]:
        return False
    metadata = cast("dict[str, Any]", found.metadata)
    return all(metadata.get(key) == value for key, value in (wanted or {}).items())
