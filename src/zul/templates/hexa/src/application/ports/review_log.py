from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedReview:
    """A person's decisions for one pause, as they were accepted.

    Attributes:
        review_id: the pause that was decided.
        pending_review: what was shown, in the review format.
        decisions: one decision per action, in the order shown.
        resume: the same decisions by the id of the interrupt that asked for them, as
            ``Command(resume=...)`` takes them; a crash may leave some of them unanswered.
        accepted_at: in UTC.
        settled: the turn that the decisions started has come to its end.
    """

    thread_id: str
    review_id: str
    pending_review: dict[str, Any]
    decisions: list[dict[str, Any]]
    resume: dict[str, Any]
    accepted_at: datetime
    settled: bool = False


class ReviewLog(Protocol):
    """Remembers accepted decisions before the agent moves, so that a crash cannot lose them.

    Every method raises ``StoreError`` when the store did not answer.
    """

    def accept(self, review: AcceptedReview) -> None:
        """Store the decisions for good.

        Raises:
            ReviewAlreadyDecidedError: decisions for this pause are stored already.
        """
        ...

    def unsettled(self, thread_id: str) -> AcceptedReview | None:
        """Return the accepted review whose turn has not come to its end, if there is one."""
        ...

    def settle(self, thread_id: str, review_id: str) -> None:
        """Note that the turn started by this review has come to its end. Repeating is harmless."""
        ...

    def history(self, thread_id: str) -> list[AcceptedReview]:
        """Return all accepted reviews of the conversation, oldest first."""
        ...

    def erase(self, thread_id: str) -> None:
        """Forget every review of the conversation."""
        ...
