import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from typing_extensions import override

from src.application.errors import ConversationBusyError
from src.application.ports.conversation_lock import ConversationLock

DEFAULT_WAIT_SECONDS = 30.0


@dataclass
class _Place:
    """The lock of one conversation, kept only while somebody holds it or waits for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0


class InMemoryConversationLock(ConversationLock):
    """Holds conversations within this process."""

    def __init__(self, wait_seconds: float = DEFAULT_WAIT_SECONDS) -> None:
        self._wait_seconds = wait_seconds
        self._places: dict[str, _Place] = {}
        self._guard = threading.Lock()

    @override
    @contextmanager
    def hold(self, thread_id: str, *, wait_seconds: float | None = None) -> Iterator[None]:
        wait = self._wait_seconds if wait_seconds is None else wait_seconds
        with self._place(thread_id) as place:
            if not place.lock.acquire(timeout=wait):
                raise ConversationBusyError
            try:
                yield
            finally:
                place.lock.release()

    @contextmanager
    def _place(self, thread_id: str) -> Iterator[_Place]:
        with self._guard:
            place = self._places.setdefault(thread_id, _Place())
            place.users += 1
        try:
            yield place
        finally:
            with self._guard:
                place.users -= 1
                if not place.users:
                    del self._places[thread_id]
