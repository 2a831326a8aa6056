"""Small violations of the rules, planted to see whether anybody notices."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from typing_extensions import override

from src.application.ports.action_ledger import Action, Claim
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.in_memory import InMemoryActionLedger, InMemoryReviewLog
from src.application.ports.review_log import AcceptedReview
from tests.guarantees.world import MemoryStore, Parts


class GenerousLedger(InMemoryActionLedger):
    """Grants whatever is asked, again and again."""

    @override
    def claim(self, action: Action, *, repeatable: bool = False) -> Claim:
        super().claim(action, repeatable=repeatable)
        return Claim(granted=True)


class ForgetfulReviews(InMemoryReviewLog):
    """Says that a decision is stored, and does not store it."""

    @override
    def accept(self, review: AcceptedReview) -> None:
        pass


class OpenLock(ConversationLock):
    """Lets everybody in."""

    @override
    @contextmanager
    def hold(self, thread_id: str, *, wait_seconds: float | None = None) -> Iterator[None]:
        yield


class StoreWith(MemoryStore):
    """A store with one part replaced."""

    def __init__(self, **parts: Any) -> None:
        super().__init__()
        self._parts = parts

    @override
    def open(self) -> Parts:
        parts = super().open()
        for name, part in self._parts.items():
            setattr(parts, name, part)
        return parts
