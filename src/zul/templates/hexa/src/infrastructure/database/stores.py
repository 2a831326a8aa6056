import os
import threading

from src.application.ports.conversation_stores import ConversationStores
from src.application.ports.in_memory import InMemoryConversationLock
from src.infrastructure.database.connections import close_database, get_database
from src.infrastructure.settings import Settings

_guard = threading.Lock()
_built: dict[tuple[int, str], ConversationStores] = {}


def get_stores(scope: str) -> ConversationStores:
    """Return the stores of one agent, where ``DATABASE_URL`` says; built once in each process.

    Args:
        scope: the agent's name. The same thread id under two scopes is two conversations.

    Raises:
        DatabaseConfigurationError: the database cannot be used as it is configured.
        StoreError: the database did not answer.
    """
    key = (os.getpid(), scope)
    with _guard:
        if key not in _built:
            _built[key] = _build(scope)
        return _built[key]


def close_stores() -> None:
    """Close the database of this process: at shutdown, and in tests to read the settings again.

    Stores and checkpointers made before are not to be used afterwards, except those in memory.
    """
    with _guard:
        _built.clear()
        close_database()


def _build(scope: str) -> ConversationStores:
    wait_seconds = Settings().conversation_wait_seconds
    database = get_database()
    if database is None:
        return ConversationStores(lock=InMemoryConversationLock(wait_seconds))
    # SQLAlchemy comes with them, which takes longer than a server without a request should.
    from src.infrastructure.database.action_ledger import DatabaseActionLedger  # noqa: PLC0415
    from src.infrastructure.database.answer_store import DatabaseAnswerStore  # noqa: PLC0415
    from src.infrastructure.database.conversation_lock import (  # noqa: PLC0415
        DatabaseConversationLock,
    )
    from src.infrastructure.database.review_log import DatabaseReviewLog  # noqa: PLC0415
    from src.infrastructure.database.run_log import DatabaseRunLog  # noqa: PLC0415

    return ConversationStores(
        lock=DatabaseConversationLock(database.locks, scope, wait_seconds),
        reviews=DatabaseReviewLog(database.engine, scope),
        ledger=DatabaseActionLedger(database.engine, scope),
        answers=DatabaseAnswerStore(database.engine, scope),
        runs=DatabaseRunLog(database.engine, scope),
    )
