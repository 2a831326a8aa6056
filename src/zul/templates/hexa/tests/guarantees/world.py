"""A world in which processes come and go, and what is true in it."""

import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from typing_extensions import override

from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.subagents.subagents import SubagentSpec, build_supervisor_agent
from src.application.ports.action_ledger import ActionLedger
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.conversation_stores import ConversationStores
from src.application.ports.in_memory import (
    InMemoryActionLedger,
    InMemoryConversationLock,
    InMemoryReviewLog,
)
from src.application.ports.review_log import AcceptedReview, ReviewLog
from src.application.usecases.conversations import ConversationsUseCase
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.database.stores import close_stores, get_stores
from tests.guarantees.journal import GUARDED
from tests.guarantees.mortal import (
    Life,
    MortalLedger,
    MortalModel,
    MortalReviews,
    MortalSaver,
    mortal_tools,
)

HELPER = "assistant"
WAIT_SECONDS = 20.0


@dataclass
class Parts:
    """What a process keeps its conversations in."""

    lock: ConversationLock
    reviews: ReviewLog
    ledger: ActionLedger
    saver: Any


class Store(ABC):
    """Outlives processes."""

    @abstractmethod
    def open(self) -> Parts:
        """Open the store for a new process."""


class MemoryStore(Store):
    def __init__(self) -> None:
        self.reviews: ReviewLog = InMemoryReviewLog()
        self.ledger: ActionLedger = InMemoryActionLedger()
        self._saver = InMemorySaver()

    @override
    def open(self) -> Parts:
        return Parts(InMemoryConversationLock(WAIT_SECONDS), self.reviews, self.ledger, self._saver)


class DatabaseStore(Store):
    """The database that ``DATABASE_URL`` names; each process opens it anew."""

    @override
    def open(self) -> Parts:
        close_stores()
        stores = get_stores("world")
        return Parts(stores.lock, stores.reviews, stores.ledger, get_checkpointer("world"))


@dataclass
class Truth:
    """What really happened, whatever anybody says about it.

    Attributes:
        done: how often each guarded action took effect.
        accepted: by review id, decisions that somebody was promised would be carried out.
        faulty: reviews during whose turn something crashed or failed.
    """

    done: Counter[str] = field(default_factory=Counter)
    accepted: dict[str, AcceptedReview] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    faulty: set[str] = field(default_factory=set)

    @property
    def unsettled(self) -> AcceptedReview | None:
        return next((r for i, r in self.accepted.items() if i not in self.settled), None)


class World:
    """One conversation over a store, worked on by one process after the other."""

    _numbers = count()

    def __init__(self, store: Store, *, supervised: bool = False, overlap: float = 0.01) -> None:
        self.thread_id = f"thread-{next(self._numbers)}"
        self.truth = Truth()
        self.supervised = supervised
        self._store = store
        self._overlap = overlap
        self._barrier: threading.Barrier | None = None
        self._guard = threading.Lock()
        self.start_process()

    def start_process(self) -> None:
        self.life = life = Life()
        parts = self._store.open()
        truth = self.truth
        reviews = MortalReviews(
            parts.reviews,
            life,
            lambda review: truth.accepted.update({review.review_id: review}),
            truth.settled.add,
        )
        ledger = MortalLedger(parts.ledger, life)
        agent = self._agent(life, ledger, MortalSaver(parts.saver, life))
        self.usecase = ReviewedChatUseCase(agent, lock=parts.lock, reviews=reviews)
        stores = ConversationStores(lock=parts.lock, reviews=reviews, ledger=ledger)
        self._conversations = ConversationsUseCase(agent, stores=stores)
        self.ledger = ledger

    def show(self) -> Any:
        return self._conversations.show(self.thread_id)

    @contextmanager
    def crowded(self) -> Iterator[None]:
        """Make two requests wait for each other at the model, for a moment."""
        self._barrier = threading.Barrier(2)
        try:
            yield
        finally:
            self._barrier = None

    def _meet(self) -> None:
        barrier = self._barrier
        if barrier is not None:
            try:
                barrier.wait(self._overlap)
            except threading.BrokenBarrierError:
                barrier.reset()

    def _agent(self, life: Life, ledger: ActionLedger, saver: Any) -> Any:
        model = MortalModel(life, self._meet)
        tools = mortal_tools(life, self._note)
        if not self.supervised:
            return build_human_in_the_loop_agent(model, tools, [GUARDED], saver, ledger=ledger)
        helper = SubagentSpec(HELPER, "Helps.", "Help.", tools, tools_requiring_approval=[GUARDED])
        return build_supervisor_agent(model, [helper], checkpointer=saver, ledger=ledger)

    def _note(self, token: str) -> None:
        with self._guard:
            self.truth.done[token] += 1
