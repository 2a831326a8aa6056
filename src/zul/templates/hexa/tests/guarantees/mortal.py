"""A process that can die, or lose its store, at any point where it touches the world.

Whatever a request does to the world passes a named point before and after. A fault is armed for
the n-th passing of a point: a crash ends the process there, and nothing that is left of it gets
past any point again; an outage is an error of that store, model or tool, once.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from pydantic import PrivateAttr
from typing_extensions import override

from src.application.errors import StoreError
from src.application.ports.action_ledger import (
    Action,
    ActionLedger,
    ActionOutcome,
    ActionRecord,
    Claim,
)
from src.application.ports.review_log import AcceptedReview, ReviewLog
from tests.guarantees.journal import FREE, GUARDED
from tests.guarantees.planned_model import PlannedChatModel


def _around(*places: str) -> tuple[str, ...]:
    return tuple(f"{place}.{side}" for place in places for side in ("before", "after"))


POINTS_OF_AN_ACTION = _around("accept", "claim", "tool", "record", "settle")
POINTS_OF_THE_SAVER = _around("get", "put", "writes")
POINTS = (*_around("model"), *POINTS_OF_AN_ACTION, *POINTS_OF_THE_SAVER)


class PowerCut(BaseException):
    """The process dies here."""


class ToolError(Exception):
    """A tool fails, as it was told to."""


@dataclass(frozen=True)
class Fault:
    kind: Literal["crash", "outage"]
    point: str
    passing: int = 1


class Life:
    """What one process may still do."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._fault: Fault | None = None
        self._left = 0
        self.dead = False
        self.faults = 0

    def arm(self, fault: Fault | None) -> None:
        with self._guard:
            self._fault = fault
            self._left = fault.passing if fault else 0

    def go(self, point: str) -> None:
        with self._guard:
            if self.dead:
                raise PowerCut
            if self._fault is None or self._fault.point != point:
                return
            self._left -= 1
            if self._left:
                return
            kind, self._fault = self._fault.kind, None
            self.faults += 1
            self.dead = kind == "crash"
        if kind == "crash":
            raise PowerCut
        raise _outage_at(point)


def _outage_at(point: str) -> Exception:
    if point.startswith("model"):
        return ConnectionError("the model is down")
    return ToolError("out of order") if point.startswith("tool") else StoreError()


class MortalModel(PlannedChatModel):
    _life: Life = PrivateAttr()
    _meet: Callable[[], None] = PrivateAttr()

    def __init__(self, life: Life, meet: Callable[[], None]) -> None:
        super().__init__()
        self._life = life
        self._meet = meet

    @override
    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self._life.go("model.before")
        self._meet()
        reply = super()._generate(messages, *args, **kwargs)
        self._life.go("model.after")
        return reply


def mortal_tools(life: Life, done: Callable[[str], None]) -> list[BaseTool]:
    def carry_out(token: str, then: str, effect: Callable[[str], None]) -> str:
        life.go("tool.before")
        effect(token)
        life.go("tool.after")
        if then == "raise":
            raise ToolError
        return f"done {token}"

    @tool(GUARDED)
    def transfer(token: str, then: str) -> str:
        """Do something that must not happen twice."""
        return carry_out(token, then, done)

    @tool(FREE)
    def look_up(token: str, then: str) -> str:
        """Read something."""
        return carry_out(token, then, lambda _: None)

    return [transfer, look_up]


class MortalLedger(ActionLedger):
    def __init__(self, ledger: ActionLedger, life: Life) -> None:
        self._ledger = ledger
        self._life = life

    @override
    def claim(self, action: Action, *, repeatable: bool = False) -> Claim:
        self._life.go("claim.before")
        claim = self._ledger.claim(action, repeatable=repeatable)
        self._life.go("claim.after")
        return claim

    @override
    def give_up(self, key: str) -> None:
        self._ledger.give_up(key)

    @override
    def release(self, key: str) -> None:
        self._ledger.release(key)

    @override
    def record(self, key: str, outcome: ActionOutcome) -> None:
        self._life.go("record.before")
        self._ledger.record(key, outcome)
        self._life.go("record.after")

    @override
    def records(self, thread_id: str) -> list[ActionRecord]:
        return self._ledger.records(thread_id)

    @override
    def erase(self, thread_id: str) -> None:
        self._ledger.erase(thread_id)


class MortalReviews(ReviewLog):
    """Tells ``accepted`` and ``settled`` what it has promised its caller."""

    def __init__(
        self,
        reviews: ReviewLog,
        life: Life,
        accepted: Callable[[AcceptedReview], None],
        settled: Callable[[str], None],
    ) -> None:
        self._reviews = reviews
        self._life = life
        self._accepted = accepted
        self._settled = settled

    @override
    def accept(self, review: AcceptedReview) -> None:
        self._life.go("accept.before")
        self._reviews.accept(review)
        self._accepted(review)
        self._life.go("accept.after")

    @override
    def unsettled(self, thread_id: str) -> AcceptedReview | None:
        return self._reviews.unsettled(thread_id)

    @override
    def settle(self, thread_id: str, review_id: str) -> None:
        self._life.go("settle.before")
        self._reviews.settle(thread_id, review_id)
        self._settled(review_id)
        self._life.go("settle.after")

    @override
    def history(self, thread_id: str) -> list[AcceptedReview]:
        return self._reviews.history(thread_id)

    @override
    def erase(self, thread_id: str) -> None:
        self._reviews.erase(thread_id)


class MortalSaver(BaseCheckpointSaver[Any]):
    def __init__(self, saver: BaseCheckpointSaver[Any], life: Life) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._life = life

    @property
    @override
    def config_specs(self) -> Any:
        return self._saver.config_specs

    @override
    def with_allowlist(self, extra_allowlist: Any) -> "MortalSaver":
        return MortalSaver(self._saver.with_allowlist(extra_allowlist), self._life)

    @override
    def get_next_version(self, current: Any, channel: None) -> Any:
        return self._saver.get_next_version(current, channel)

    @override
    def get_tuple(self, config: Any) -> Any:
        self._life.go("get.before")
        found = self._saver.get_tuple(config)
        self._life.go("get.after")
        return found

    @override
    def put(self, *args: Any) -> Any:
        self._life.go("put.before")
        config = self._saver.put(*args)
        self._life.go("put.after")
        return config

    @override
    def put_writes(self, *args: Any) -> None:
        self._life.go("writes.before")
        self._saver.put_writes(*args)
        self._life.go("writes.after")
