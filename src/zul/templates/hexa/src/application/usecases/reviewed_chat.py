from collections.abc import Sequence
from typing import Any

from src.application.conversation import StatefulAgent, Watcher
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.review_log import ReviewLog
from src.application.reviews import validate_decisions
from src.application.turns import MAX_AGENT_STEPS, ChatTurn, Turns

__all__ = ["ChatTurn", "ReviewedChatUseCase", "validate_decisions"]


class ReviewedChatUseCase:
    """Hold a conversation in which certain actions wait for a person.

    - A new message is refused while an action waits.
    - Decisions are checked and stored before the agent moves; a refused review changes nothing.
    - An approved action runs at most once, and an accepted decision is never lost: a turn that a
      crash cut off is finished by the next request on the conversation.
    """

    def __init__(
        self,
        agent: StatefulAgent,
        max_agent_steps: int = MAX_AGENT_STEPS,
        *,
        lock: ConversationLock | None = None,
        reviews: ReviewLog | None = None,
    ) -> None:
        self._turns = Turns(agent, max_agent_steps=max_agent_steps, lock=lock, reviews=reviews)

    def send_message(
        self, message: str, thread_id: str, *, watcher: Watcher | None = None
    ) -> ChatTurn:
        """Send the user's message; see ``Turns.send`` for what it raises."""
        return self._turns.send(message, thread_id, self._turns.watched(watcher))

    def submit_review(
        self,
        decisions: Sequence[dict[str, Any]],
        thread_id: str,
        review_id: str | None = None,
        *,
        watcher: Watcher | None = None,
    ) -> ChatTurn:
        """Apply one decision per waiting action, in the order shown.

        See ``Turns.review`` for what it raises.
        """
        run = self._turns.watched(watcher)
        return self._turns.review(decisions, thread_id, review_id, run)
