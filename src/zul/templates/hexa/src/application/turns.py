"""Takes one turn of a conversation at a time, and leaves it in order whatever happens.

Rules of this module:

- A conversation is held for the whole turn; whoever comes second sees what the first one left.
- A decision counts for the pause that it names, else for the one that could be seen when it came:
  a second click that had to wait never decides what came up meanwhile.
- A decision is stored before the agent moves. Until its turn has come to an end, every request on
  the conversation first finishes that turn.
- A turn that stopped half-way is tried again when the same message comes again, and closed when
  another one comes: then each call has a result and the user's message an answer.
"""

import logging
from typing import Any

from src.application.AI.agents.storable import clean_text
from src.application.AI.agents.tool_calls import unanswered_tool_calls
from src.application.chat_turn import ChatTurn, turn_after, turn_in
from src.application.compute_queue import compute_queue
from src.application.conversation import (
    ChatAgent,
    Conversation,
    Runner,
    Snapshot,
    StatefulAgent,
    Watcher,
    closing_of,
    last_user_text,
    watched,
)
from src.application.errors import StoreError
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.in_memory import InMemoryConversationLock, InMemoryReviewLog
from src.application.ports.review_log import AcceptedReview, ReviewLog
from src.application.reviews import (
    Pause,
    accepted_review,
    essentials,
    repeats,
    validate_decisions,
)
from src.domain.exceptions import (
    EmptyMessageError,
    NoPendingReviewError,
    ReviewAlreadyDecidedError,
    ReviewPendingError,
    StaleReviewError,
)

__all__ = ["MAX_AGENT_STEPS", "ChatTurn", "Turns"]

logger = logging.getLogger(__name__)

MAX_AGENT_STEPS = 25
"""Graph steps of one request, whichever way it comes in."""


class Turns:
    """The one way in which requests reach an agent."""

    def __init__(
        self,
        agent: ChatAgent,
        *,
        max_agent_steps: int = MAX_AGENT_STEPS,
        lock: ConversationLock | None = None,
        reviews: ReviewLog | None = None,
    ) -> None:
        self._agent = agent
        # Judged once: comparing with a protocol takes as long as a look into the store.
        self._stateful = _with_state(agent)
        self._max_agent_steps = max_agent_steps
        self._lock = lock or InMemoryConversationLock()
        self._reviews = reviews or InMemoryReviewLog()

    def send(self, message: str, thread_id: str, run: Runner | None = None) -> ChatTurn:
        """Send the user's message and return what the turn ended with.

        Args:
            message: what the user says. HTTP and the terminal refuse what cannot be stored, with
                a reason; from any other caller such characters are replaced.
            thread_id: the conversation.
            run: runs the agent; ``agent.invoke`` by default.

        Raises:
            EmptyMessageError: the message is blank; the agent was not called.
            ReviewPendingError: an action still waits for a decision.
            ConversationBusyError: another request holds the conversation for too long.
            ServiceError: something the turn needs failed.
        """
        if not message.strip():
            raise EmptyMessageError
        message = clean_text(message)
        with self._lock.hold(thread_id), compute_queue.computing():
            conversation = self._conversation(thread_id)
            if conversation is None:
                return self._ask_without_state(message, thread_id)
            return self._send(message, conversation, run or self._agent.invoke)

    def review(
        self,
        decisions: Any,
        thread_id: str,
        review_id: str | None = None,
        run: Runner | None = None,
    ) -> ChatTurn:
        """Apply a person's decisions to the actions that wait, and take the turn further.

        Args:
            decisions: one per action, in the order shown.
            thread_id: the conversation.
            review_id: the pause that was decided on, where the caller knows it; else the one that
                waits at this moment.
            run: runs the agent; ``agent.invoke`` by default.

        Raises:
            NoPendingReviewError: nothing waits in this conversation.
            StaleReviewError: the pause that was decided on is not the one that waits now.
            InvalidReviewDecisionError: the decisions do not fit the actions.
            ReviewAlreadyDecidedError: other decisions were accepted for this pause.
            ConversationBusyError: another request holds the conversation for too long.
            ServiceError: something the turn needs failed.
        """
        conversation = self._conversation(thread_id)
        if conversation is None:
            raise NoPendingReviewError
        seen = conversation.look().review_id if review_id is None else review_id
        with self._lock.hold(thread_id), compute_queue.computing():
            return self._review(decisions, review_id, seen, conversation, run or self._agent.invoke)

    def watched(self, watcher: Watcher | None) -> Runner | None:
        """Return a runner that shows what the agent does; ``None`` for nobody."""
        return None if watcher is None else watched(self._agent, watcher)

    def look(self, thread_id: str) -> Snapshot | None:
        """Return all that is stored of a conversation; ``None`` for an agent without state."""
        conversation = self._conversation(thread_id)
        return conversation.look(whole=True) if conversation else None

    def waiting(self, snapshot: Snapshot, thread_id: str) -> Pause | None:
        """Return the pause that waits for a decision.

        One that was decided waits no more, even if what followed could not move the agent.
        """
        pause = snapshot.pause
        if pause is None or pause.review_id in self._decided(thread_id):
            return None
        return pause

    def _decided(self, thread_id: str) -> set[str]:
        return {review.review_id for review in self._reviews.history(thread_id)}

    def _conversation(self, thread_id: str) -> Conversation | None:
        if self._stateful is None:
            return None
        return Conversation(self._stateful, thread_id, self._max_agent_steps)

    def _ask_without_state(self, message: str, thread_id: str) -> ChatTurn:
        result = self._agent.invoke(
            {"messages": [{"role": "user", "content": message}]},
            {
                "configurable": {"thread_id": thread_id},
                "recursion_limit": self._max_agent_steps,
            },
        )
        return turn_in(result, thread_id)

    def _send(self, message: str, conversation: Conversation, run: Runner) -> ChatTurn:
        finished = self._finish_or_give_up(conversation, run)
        before = conversation.look()
        if self.waiting(before, conversation.thread_id) is not None:
            raise ReviewPendingError
        if finished is not None and last_user_text(before.messages) == message:
            return finished
        given_up = before.pause is not None
        if before.unfinished and not given_up and last_user_text(before.messages) == message:
            return turn_after(conversation.retry(before, run), conversation)
        result = conversation.say(message, run, closing=closing_of(before))
        return turn_after(result, conversation)

    def _review(
        self,
        decisions: Any,
        review_id: str | None,
        seen: str | None,
        conversation: Conversation,
        run: Runner,
    ) -> ChatTurn:
        accepted = self._reviews.unsettled(conversation.thread_id)
        if accepted is not None:
            turn = self._carry_out(accepted, conversation, run)
            if not repeats(accepted, decisions, review_id):
                raise ReviewAlreadyDecidedError
            return turn
        pause = conversation.look().pause
        if pause is None:
            raise NoPendingReviewError
        if seen != pause.review_id:
            raise StaleReviewError
        validate_decisions(decisions, pause.pending_review)
        accepted = accepted_review(conversation.thread_id, pause, essentials(decisions))
        self._reviews.accept(accepted)
        return self._carry_out(accepted, conversation, run)

    def _carry_out(
        self, accepted: AcceptedReview, conversation: Conversation, run: Runner
    ) -> ChatTurn:
        """Take the turn of an accepted review to its end, from wherever it stands."""
        try:
            result = conversation.carry_out(accepted.resume, run)
        except StoreError:
            raise  # the next request finishes the turn, from what is stored then
        except Exception:
            if not unanswered_tool_calls(conversation.look().messages):
                self._settle(accepted)
            raise
        self._settle(accepted)
        return turn_after(result, conversation)

    def _finish_or_give_up(self, conversation: Conversation, run: Runner) -> ChatTurn | None:
        """Finish the turn of an accepted review; when that fails, leave it to be closed.

        Its actions have been tried by then. A conversation must not wait for ever for what the
        model would have said about them.
        """
        accepted = self._reviews.unsettled(conversation.thread_id)
        if accepted is None:
            return None
        try:
            return self._carry_out(accepted, conversation, run)
        except StoreError:
            raise
        except Exception:
            logger.exception("An accepted review could not be taken to its end")
            self._settle(accepted)
            return None

    def _settle(self, accepted: AcceptedReview) -> None:
        self._reviews.settle(accepted.thread_id, accepted.review_id)


def _with_state(agent: ChatAgent) -> StatefulAgent | None:
    if isinstance(agent, StatefulAgent) and getattr(agent, "checkpointer", True):
        return agent
    return None
