"""Small working adapters that keep everything in this process.

They are the defaults of use cases and builders, the store of a service without a database, and the
fakes of the tests; the same contract suites hold them and the database adapters to the ports.
"""

from src.application.ports.in_memory.action_ledger import InMemoryActionLedger
from src.application.ports.in_memory.answer_store import InMemoryAnswerStore
from src.application.ports.in_memory.conversation_lock import InMemoryConversationLock
from src.application.ports.in_memory.review_log import InMemoryReviewLog
from src.application.ports.in_memory.run_log import InMemoryRunLog

__all__ = [
    "InMemoryActionLedger",
    "InMemoryAnswerStore",
    "InMemoryConversationLock",
    "InMemoryReviewLog",
    "InMemoryRunLog",
]
