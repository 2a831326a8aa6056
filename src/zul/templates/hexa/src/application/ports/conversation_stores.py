from dataclasses import dataclass, field

from src.application.ports.action_ledger import ActionLedger
from src.application.ports.answer_store import AnswerStore
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.in_memory import (
    InMemoryActionLedger,
    InMemoryAnswerStore,
    InMemoryConversationLock,
    InMemoryReviewLog,
    InMemoryRunLog,
)
from src.application.ports.review_log import ReviewLog
from src.application.ports.run_log import RunLog


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationStores:
    """What keeps the conversations of one agent, beside the agent's checkpointer.

    A store that is not given is a new one in memory.
    """

    lock: ConversationLock = field(default_factory=InMemoryConversationLock)
    reviews: ReviewLog = field(default_factory=InMemoryReviewLog)
    ledger: ActionLedger = field(default_factory=InMemoryActionLedger)
    answers: AnswerStore = field(default_factory=InMemoryAnswerStore)
    runs: RunLog = field(default_factory=InMemoryRunLog)
