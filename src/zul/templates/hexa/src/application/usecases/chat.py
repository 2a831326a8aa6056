from src.application.conversation import ChatAgent, Watcher
from src.application.errors import ReviewRequiredError
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.review_log import ReviewLog
from src.application.turns import MAX_AGENT_STEPS, Turns

__all__ = ["MAX_AGENT_STEPS", "ChatAgent", "ChatUseCase"]


class ChatUseCase:
    """Answer a message of a conversation.

    - A blank message is refused before the agent is called.
    - One request at a time works on a conversation; the others wait.
    - The agent takes at most ``max_agent_steps`` steps for a message.
    - Whatever stopped the last turn, the conversation goes on.
    """

    def __init__(
        self,
        agent: ChatAgent,
        max_agent_steps: int = MAX_AGENT_STEPS,
        *,
        lock: ConversationLock | None = None,
        reviews: ReviewLog | None = None,
    ) -> None:
        self._turns = Turns(agent, max_agent_steps=max_agent_steps, lock=lock, reviews=reviews)

    def execute(self, message: str, thread_id: str, *, watcher: Watcher | None = None) -> str:
        """Return the agent's answer to ``message``; ``watcher`` sees it come about.

        Raises:
            EmptyMessageError: the message is blank.
            ReviewPendingError: an action of this conversation waits for a decision.
            ReviewRequiredError: the agent paused for a person instead of answering.
            ConversationBusyError: another request holds the conversation for too long.
            ServiceError: something the turn needs failed.
        """
        turn = self._turns.send(message, thread_id, self._turns.watched(watcher))
        if turn.pending_review is not None:
            raise ReviewRequiredError(turn.pending_review, turn.review_id or "")
        return turn.answer or ""
