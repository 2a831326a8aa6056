"""What LangGraph offers and a store of newest states alone cannot do."""

from langgraph.checkpoint.base import CheckpointMetadata


class EarlierStateError(LookupError):
    """A config names an earlier state, which is not kept."""

    def __init__(self, checkpoint_id: str) -> None:
        super().__init__(
            f"This checkpointer keeps the newest state of a thread only, and {checkpoint_id} is an "
            "earlier one. For earlier states give the agent one of LangGraph's own checkpointers."
        )


class DeltaChannelError(NotImplementedError):
    """A channel is rebuilt from earlier states."""

    def __init__(self) -> None:
        super().__init__(
            "A DeltaChannel is rebuilt from earlier states, and this checkpointer keeps the newest "
            "one only. Use another channel, or one of LangGraph's own checkpointers."
        )


def refuse_earlier(wanted_id: str | None, newest_id: str) -> None:
    """Refuse an id that LangGraph gave to a state before the newest one.

    Raises:
        EarlierStateError: it is one. Any other id is of no state at all.
    """
    if wanted_id is not None and wanted_id[14:15] == "6" and wanted_id < newest_id:
        raise EarlierStateError(wanted_id)


def refuse_changes_only(metadata: CheckpointMetadata) -> None:
    """Refuse a state of which some channel is stored as a change of the one before.

    Raises:
        DeltaChannelError: it is one.
    """
    if metadata.get("counters_since_delta_snapshot"):
        raise DeltaChannelError
