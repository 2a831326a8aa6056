from collections.abc import Collection
from dataclasses import dataclass, replace

from langchain_core.messages import BaseMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownState:
    """A state as this process read or wrote it.

    Attributes:
        checkpoint_id: which one; of any other state this says nothing.
        stored_id: the state in the database, where this one is not stored itself; ``None`` when
            there is none.
        written_here: this process made it; its clock dated it.
        has_one_task: the step after it is a single node.
        offset: how many older messages were not loaded.
        messages: those that were.
        size: about how many bytes these are in the database.
    """

    checkpoint_id: str
    stored_id: str | None
    written_here: bool
    has_one_task: bool
    offset: int
    messages: tuple[BaseMessage, ...]
    size: int = 0

    def within(self, window: int | None) -> "KnownState":
        """Shorten what is known, down to a message of the user, so that no result is orphaned."""
        surplus = len(self.messages) - (window or len(self.messages))
        if surplus <= 0:
            return self
        users = [i for i, message in enumerate(self.messages) if message.type == "human"]
        start = next((i for i in users if i >= surplus), users[-1] if users else 0)
        kept = self.messages[start:]
        size = self.size * len(kept) // len(self.messages)
        return replace(self, offset=self.offset + start, messages=kept, size=size)

    def changes_since(
        self, before: "KnownState | None", rewritten: Collection[str | None]
    ) -> list[int] | None:
        """Return which messages differ; ``None`` when that is not known or some are gone.

        Args:
            before: the state that this one came from.
            rewritten: ids of messages that may differ although they are the same objects.
        """
        if before is None or before.offset != self.offset:
            return None
        if len(self.messages) < len(before.messages):
            return None
        return [
            i
            for i, message in enumerate(self.messages)
            if i >= len(before.messages)
            or before.messages[i] is not message
            or message.id in rewritten
        ]
