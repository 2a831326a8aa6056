"""Small working adapters that keep everything in this process.

They are the defaults of use cases and builders, the store of a service without a database, and the
fakes of the tests; the same contract suites hold them and the database adapters to the ports.
"""

import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from typing_extensions import override

from src.application.errors import ConversationBusyError
from src.application.ports.action_ledger import (
    Action,
    ActionLedger,
    ActionOutcome,
    ActionRecord,
    ActionStatus,
    Claim,
)
from src.application.ports.answer_store import AnswerStore, StoredAnswer
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.review_log import AcceptedReview, ReviewLog
from src.application.ports.run_log import Run, RunEvent, RunLog
from src.domain.exceptions import ReviewAlreadyDecidedError

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


class InMemoryReviewLog(ReviewLog):
    """Keeps accepted reviews until the process ends."""

    def __init__(self) -> None:
        self._reviews: dict[str, dict[str, AcceptedReview]] = {}
        self._guard = threading.Lock()

    @override
    def accept(self, review: AcceptedReview) -> None:
        with self._guard:
            reviews = self._reviews.setdefault(review.thread_id, {})
            if review.review_id in reviews:
                raise ReviewAlreadyDecidedError
            reviews[review.review_id] = review

    @override
    def unsettled(self, thread_id: str) -> AcceptedReview | None:
        return next((review for review in self.history(thread_id) if not review.settled), None)

    @override
    def settle(self, thread_id: str, review_id: str) -> None:
        with self._guard:
            reviews = self._reviews.get(thread_id, {})
            if review_id in reviews:
                reviews[review_id] = replace(reviews[review_id], settled=True)

    @override
    def history(self, thread_id: str) -> list[AcceptedReview]:
        with self._guard:
            return list(self._reviews.get(thread_id, {}).values())

    @override
    def erase(self, thread_id: str) -> None:
        with self._guard:
            self._reviews.pop(thread_id, None)


class InMemoryActionLedger(ActionLedger):
    """Keeps the ledger until the process ends."""

    def __init__(self) -> None:
        self._records: dict[str, ActionRecord] = {}
        self._guard = threading.Lock()

    @override
    def claim(self, action: Action, *, repeatable: bool = False) -> Claim:
        with self._guard:
            record = self._records.get(action.key)
            if record is None:
                self._records[action.key] = ActionRecord(
                    action=action,
                    status=ActionStatus.RUNNING,
                    outcome=None,
                    claimed_at=datetime.now(UTC),
                    finished_at=None,
                )
                return Claim(granted=True)
            if record.outcome is not None:
                return Claim(granted=False, outcome=record.outcome)
            if repeatable:
                return Claim(granted=True)
            self._records[action.key] = replace(record, status=ActionStatus.UNKNOWN)
            return Claim(granted=False)

    @override
    def give_up(self, key: str) -> None:
        with self._guard:
            record = self._records.get(key)
            if record is not None and record.outcome is None:
                self._records[key] = replace(record, status=ActionStatus.UNKNOWN)

    @override
    def release(self, key: str) -> None:
        with self._guard:
            record = self._records.get(key)
            if record is not None and record.outcome is None:
                del self._records[key]

    @override
    def record(self, key: str, outcome: ActionOutcome) -> None:
        with self._guard:
            record = self._records.get(key)
            if record is not None and record.outcome is None:
                self._records[key] = replace(
                    record,
                    status=outcome.status,
                    outcome=outcome,
                    finished_at=datetime.now(UTC),
                )

    @override
    def records(self, thread_id: str) -> list[ActionRecord]:
        with self._guard:
            return [r for r in self._records.values() if r.action.thread_id == thread_id]

    @override
    def erase(self, thread_id: str) -> None:
        with self._guard:
            self._records = {
                key: record
                for key, record in self._records.items()
                if record.action.thread_id != thread_id
            }


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


@dataclass
class _KeptRun:
    run: Run
    started_at: float
    events: list[RunEvent] = field(default_factory=list)


class InMemoryRunLog(RunLog):
    """Keeps the events of runs for a while; the oldest runs go first."""

    def __init__(self, retention_seconds: float = 3_600.0) -> None:
        self._retention_seconds = retention_seconds
        self._kept: dict[str, _KeptRun] = {}
        self._guard = threading.Lock()

    @override
    def start(self, run: Run) -> bool:
        now = time.monotonic()
        with self._guard:
            self._forget_before(now - self._retention_seconds)
            if run.run_id in self._kept:
                return False
            self._kept[run.run_id] = _KeptRun(run, now)
            return True

    def _forget_before(self, moment: float) -> None:
        for run_id, kept in list(self._kept.items()):
            if kept.started_at >= moment:
                break
            if kept.run.finished:
                del self._kept[run_id]

    @override
    def find(self, run_id: str) -> Run | None:
        with self._guard:
            kept = self._kept.get(run_id)
            return kept.run if kept else None

    @override
    def running(self, thread_id: str) -> str | None:
        with self._guard:
            return next(
                (
                    kept.run.run_id
                    for kept in reversed(self._kept.values())
                    if kept.run.thread_id == thread_id and not kept.run.finished
                ),
                None,
            )

    @override
    def append(self, run_id: str, events: Sequence[RunEvent]) -> None:
        with self._guard:
            if run_id in self._kept:
                self._kept[run_id].events.extend(events)

    @override
    def discard(self, run_id: str) -> None:
        with self._guard:
            self._kept.pop(run_id, None)

    @override
    def finish(self, run_id: str) -> None:
        with self._guard:
            if run_id in self._kept:
                self._kept[run_id].run = replace(self._kept[run_id].run, finished=True)

    @override
    def read(self, run_id: str, after: int) -> list[RunEvent]:
        with self._guard:
            kept = self._kept.get(run_id)
            return [event for event in kept.events if event.number > after] if kept else []

    @override
    def erase(self, thread_id: str) -> None:
        with self._guard:
            self._kept = {
                run_id: kept
                for run_id, kept in self._kept.items()
                if kept.run.thread_id != thread_id
            }
