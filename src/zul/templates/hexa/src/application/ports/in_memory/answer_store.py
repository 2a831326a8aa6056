import math
import threading
import time

from typing_extensions import override

from src.application.ports.answer_store import AnswerStore, StoredAnswer


class InMemoryAnswerStore(AnswerStore):
    """Keeps answers for a while; the oldest go first when there are too many."""

    def __init__(self, retention_seconds: float = 86_400.0, max_answers: int = 10_000) -> None:
        self._retention_seconds = retention_seconds
        self._max_answers = max_answers
        self._answers: dict[str, tuple[float, StoredAnswer]] = {}
        self._guard = threading.Lock()

    @override
    def find(self, key: str) -> StoredAnswer | None:
        with self._guard:
            saved_at, answer = self._answers.get(key, (0.0, None))
        expired = time.monotonic() - saved_at > self._retention_seconds
        return None if expired else answer

    @override
    def save(self, answer: StoredAnswer) -> None:
        now = time.monotonic()
        with self._guard:
            saved_at, _ = self._answers.get(answer.key, (-math.inf, None))
            if now - saved_at <= self._retention_seconds:
                return
            self._answers.pop(answer.key, None)
            if len(self._answers) >= self._max_answers:
                del self._answers[next(iter(self._answers))]
            self._answers[answer.key] = (now, answer)

    @override
    def erase(self, thread_id: str) -> None:
        with self._guard:
            self._answers = {
                key: kept for key, kept in self._answers.items() if kept[1].thread_id != thread_id
            }
