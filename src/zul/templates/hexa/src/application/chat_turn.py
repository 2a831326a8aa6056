"""What a turn ended with, read from the result of an agent."""

from dataclasses import dataclass
from typing import Any

from src.application.conversation import Conversation
from src.application.errors import ReviewRequiredError, UnanswerablePauseError
from src.application.reviews import Pause, asked_reviews, pause_of

_INTERRUPTS = "__interrupt__"


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """What a turn ended with: an answer, or actions that wait for a person.

    Attributes:
        answer: the text for the user.
        pending_review: the actions that wait, in the review format.
        review_id: identifies this pause; a client that sends it back can never decide something
            that it did not see.
    """

    answer: str | None = None
    pending_review: dict[str, Any] | None = None
    review_id: str | None = None

    @classmethod
    def paused(cls, pause: Pause | ReviewRequiredError) -> "ChatTurn":
        """Return a turn that ended with these actions waiting."""
        return cls(pending_review=pause.pending_review, review_id=pause.review_id)


def turn_in(result: dict[str, Any], thread_id: str) -> ChatTurn:
    """Return what a turn ended with that paused once at the most."""
    interrupts = result.get(_INTERRUPTS, ())
    pause = pause_of(thread_id, asked_reviews(interrupts))
    if pause is None and interrupts:
        raise UnanswerablePauseError
    return ChatTurn.paused(pause) if pause else _answered(result["messages"])


def turn_after(result: Any, conversation: Conversation) -> ChatTurn:
    """Return what a turn ended with; where the result cannot tell, the conversation can."""
    # Only the stored tasks know the order of several pauses.
    if isinstance(result, dict) and len(result.get(_INTERRUPTS, ())) <= 1:
        return turn_in(result, conversation.thread_id)
    snapshot = conversation.look()
    if snapshot.pause is None and snapshot.asks_otherwise:
        raise UnanswerablePauseError
    return ChatTurn.paused(snapshot.pause) if snapshot.pause else _answered(snapshot.messages)


def _answered(messages: list[Any]) -> ChatTurn:
    return ChatTurn(answer=str(messages[-1].text))
