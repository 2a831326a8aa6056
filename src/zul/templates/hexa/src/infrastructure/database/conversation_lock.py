import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from typing_extensions import override

from src.application.errors import ConversationBusyError
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.in_memory import InMemoryConversationLock
from src.infrastructure.database.named_locks import NamedLocks, acquire, lock_name

logger = logging.getLogger(__name__)


class DatabaseConversationLock(ConversationLock):
    """Holds conversations among all processes on one database.

    Requests of this process queue on a lock of its own first, so that only one of them at a time
    asks the database.
    """

    def __init__(self, locks: NamedLocks, scope: str, wait_seconds: float) -> None:
        self._locks = locks
        self._scope = scope
        self._wait_seconds = wait_seconds
        self._within_process = InMemoryConversationLock(wait_seconds)

    @override
    @contextmanager
    def hold(self, thread_id: str, *, wait_seconds: float | None = None) -> Iterator[None]:
        wait = self._wait_seconds if wait_seconds is None else wait_seconds
        deadline = time.monotonic() + wait
        name = lock_name(self._scope, thread_id)
        with self._within_process.hold(thread_id, wait_seconds=wait):
            if not acquire(self._locks, name, wait_seconds=deadline - time.monotonic()):
                raise ConversationBusyError
            try:
                yield
            finally:
                if not self._locks.release(name):
                    logger.warning(
                        "A conversation of %s was held without its lock for a while", self._scope
                    )
