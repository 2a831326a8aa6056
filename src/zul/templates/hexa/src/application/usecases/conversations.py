from dataclasses import dataclass
from typing import Any, Literal, Protocol

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from src.application.AI.agents.tool_calls import is_rejected
from src.application.conversation import ChatAgent, Snapshot
from src.application.errors import ConversationNotFoundError
from src.application.ports.action_ledger import ActionRecord
from src.application.ports.answer_store import answers_lock
from src.application.ports.conversation_stores import ConversationStores
from src.application.turns import Turns


class Eraser(Protocol):
    """The part of a checkpointer that forgets."""

    def delete_thread(self, thread_id: str) -> None:
        """Forget everything stored under this thread id."""
        ...


class StoredAgent(ChatAgent, Protocol):
    """An agent whose conversations are stored."""

    checkpointer: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the conversation as people read it.

    Attributes:
        role: ``user``, ``assistant`` or ``tool``.
        text: without thinking and other blocks that are not for people.
        tool_calls: of the assistant: name, args and id of each call.
        name: of a tool's result.
        tool_call_id: the call that a tool's result answers.
        failed: the tool's result is an error.
        rejected: it is one because a person did not let the call run.
    """

    role: Literal["user", "assistant", "tool"]
    text: str
    tool_calls: tuple[dict[str, Any], ...] = ()
    name: str | None = None
    tool_call_id: str | None = None
    failed: bool = False
    rejected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationView:
    """A conversation as it is stored now.

    Attributes:
        entries: oldest first.
        pending_review: the actions that wait for a decision, in the review format.
        review_id: identifies the pause.
        unfinished: a turn stopped half-way; the next request takes it up.
        run_id: the streamed turn that is running now.
        actions: what became of approved actions, oldest first.
    """

    entries: list[Entry]
    pending_review: dict[str, Any] | None
    review_id: str | None
    unfinished: bool
    run_id: str | None
    actions: list[ActionRecord]


class ConversationsUseCase:
    """Look back into a conversation, and erase it.

    - Looking never waits and never changes anything.
    - A pause whose decision was accepted is not pending any more, even if a crash kept the agent
      from moving.
    - Erasing waits for the conversation, then removes it from every store.
    """

    def __init__(
        self,
        agent: StoredAgent,
        *,
        stores: ConversationStores | None = None,
    ) -> None:
        self._agent = agent
        self._stores = stores or ConversationStores()
        self._turns = Turns(agent, lock=self._stores.lock, reviews=self._stores.reviews)

    def show(self, thread_id: str) -> ConversationView:
        """Return the conversation.

        Raises:
            ConversationNotFoundError: nothing is stored under this id.
            StoreError: the store did not answer.
        """
        snapshot = self._existing(thread_id)
        pause = self._turns.waiting(snapshot, thread_id)
        return ConversationView(
            entries=[entry for message in snapshot.messages for entry in _entries(message)],
            pending_review=pause.pending_review if pause else None,
            review_id=pause.review_id if pause else None,
            unfinished=snapshot.unfinished and pause is None,
            run_id=self._stores.runs.running(thread_id),
            actions=self._stores.ledger.records(thread_id),
        )

    def erase(self, thread_id: str) -> None:
        """Remove the conversation and everything recorded about it.

        Raises:
            ConversationNotFoundError: nothing is stored under this id.
            ConversationBusyError: a request holds the conversation for too long.
            StoreError: the store did not answer.
        """
        with self._stores.lock.hold(answers_lock(thread_id)), self._stores.lock.hold(thread_id):
            self._existing(thread_id)
            # The history goes last: after a crash in between, erasing again finds it.
            self._stores.answers.erase(thread_id)
            self._stores.runs.erase(thread_id)
            self._stores.reviews.erase(thread_id)
            self._stores.ledger.erase(thread_id)
            eraser: Eraser = self._agent.checkpointer
            eraser.delete_thread(thread_id)

    def _existing(self, thread_id: str) -> Snapshot:
        snapshot = self._turns.look(thread_id)
        if snapshot is None or not snapshot.exists:
            raise ConversationNotFoundError
        return snapshot


def _entries(message: AnyMessage) -> list[Entry]:
    text = str(message.text)
    if isinstance(message, HumanMessage):
        return [Entry(role="user", text=text)]
    if isinstance(message, AIMessage):
        calls = tuple(
            {"id": call["id"], "name": call["name"], "args": call["args"]}
            for call in message.tool_calls
        )
        return [Entry(role="assistant", text=text, tool_calls=calls)]
    if isinstance(message, ToolMessage):
        return [
            Entry(
                role="tool",
                text=text,
                name=message.name,
                tool_call_id=message.tool_call_id,
                failed=message.status == "error",
                rejected=is_rejected(message),
            )
        ]
    return []
