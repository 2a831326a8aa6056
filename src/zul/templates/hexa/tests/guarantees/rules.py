"""The rules of the contract's sections 4 and 5, as a model small enough to read.

``Rulebook`` takes steps in a world and compares what each of them leads to with the rules.
"""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from src.application.AI.agents.tool_node import OUTCOME_UNKNOWN_MESSAGE
from src.application.conversation import NO_RESULT_MESSAGE
from src.application.errors import ToolFailedError
from src.application.ports.review_log import AcceptedReview
from src.application.turns import ChatTurn
from src.domain.exceptions import (
    DomainError,
    EmptyMessageError,
    InvalidReviewDecisionError,
    NoPendingReviewError,
    ReviewAlreadyDecidedError,
    ReviewPendingError,
    StaleReviewError,
)
from tests.guarantees.planned_model import GREETING
from tests.guarantees.steps import (
    Decide,
    Restart,
    Rounds,
    Say,
    Step,
    Steps,
    Together,
    decision_of,
    message_of,
    token_of,
)
from tests.guarantees.world import World

ANSWER, PAUSE, FAILED = "answer", "pause", "failed"
MOVED = {ANSWER, PAUSE, FAILED}


def name_of(outcome: Any) -> str:
    if isinstance(outcome, ChatTurn):
        return PAUSE if outcome.pending_review else ANSWER
    return FAILED if isinstance(outcome, ToolFailedError) else type(outcome).__name__


def outcome_of(rounds: Rounds, number: int) -> str:
    """What the model's ``number``-th round leads to."""
    if number >= len(rounds):
        return ANSWER
    if any(guarded for guarded, _ in rounds[number]):
        return PAUSE
    if any(then == "raise" for _, then in rounds[number]):
        return FAILED
    return outcome_of(rounds, number + 1)


def outcome_after(rounds: Rounds, number: int, kinds: Sequence[str]) -> str:
    """What decisions on the ``number``-th round lead to."""
    left = iter(kinds)
    for guarded, then in rounds[number]:
        runs_as_it_is = not guarded or next(left) == "approve"
        if runs_as_it_is and then == "raise":
            return FAILED
    return outcome_of(rounds, number + 1)


@dataclass(frozen=True)
class Request:
    """A deed made concrete: what is sent, and how it may end."""

    deed: Say | Decide
    body: Any
    review_id: str | None
    allowed: set[str]


@dataclass(frozen=True)
class _Nothing:
    entries: tuple[Any, ...] = ()
    pending_review: None = None
    review_id: None = None
    unfinished: bool = False
    actions: tuple[Any, ...] = ()


_NOTHING = _Nothing()


@dataclass
class Rulebook:
    world: World
    number: int = 0
    plans: dict[str, Rounds] = field(default_factory=dict)
    arrived: list[str] = field(default_factory=list)  # messages that were answered or paused
    refused: set[str] = field(default_factory=set)
    last: tuple[Any, str | None] | None = None  # the last decisions and their pause
    view: Any = field(default=_NOTHING)  # the conversation after the last step
    # LangGraph does not notice when the state of a subagent that pauses cannot be stored. Then a
    # person is asked about the action, decides, and is asked again: nothing runs meanwhile.
    asked_again: bool = False

    def follow(self, steps: Steps) -> None:
        for step in steps:
            self.number += 1
            self._take(step)
            self.view = self._look()
            self._check_conversation(self.view)
        self._check_that_it_goes_on()

    def _take(self, step: Step) -> None:
        deed = step.deed
        if isinstance(deed, Restart):
            self.world.start_process()
        elif not isinstance(deed, Together):
            self._request(self._prepare(deed), step)
        elif self.world.truth.unsettled is None and not self.view.unfinished:
            self._together(deed)

    def _look(self) -> Any:
        try:
            return self.world.show()
        except Exception:  # noqa: BLE001 - nothing is stored yet
            return _NOTHING

    # What a request may lead to

    def _prepare(self, deed: Say | Decide) -> Request:
        before, unsettled = self.view, self.world.truth.unsettled
        if isinstance(deed, Say):
            message = self._message(deed, before)
            return Request(deed, message, None, self._after_message(message, before, unsettled))
        decisions, review_id = self._decisions(deed, before)
        allowed = self._after_decisions(deed, decisions, review_id, before, unsettled)
        return Request(deed, decisions, review_id, allowed)

    def _message(self, deed: Say, before: Any) -> str:
        if deed.blank:
            return " \n"
        last = _last_message(before)
        if deed.again and before.unfinished and last in self.plans:
            return str(last)
        message = message_of(deed.rounds, self.number, supervised=self.world.supervised)
        while message in self.plans:
            message += " "
        self.plans[message] = deed.rounds
        return message

    def _after_message(
        self, message: str, before: Any, unsettled: AcceptedReview | None
    ) -> set[str]:
        if not message.strip():
            return {EmptyMessageError.__name__}
        if unsettled is not None:
            return {*MOVED, ReviewPendingError.__name__}
        if before.pending_review is not None:
            return {ReviewPendingError.__name__}
        if message == _last_message(before):
            return MOVED
        return {outcome_of(self.plans[message], 0)}

    def _decisions(self, deed: Decide, before: Any) -> tuple[Any, str | None]:
        if deed.repeat and self.last is not None:
            return self.last
        actions = before.pending_review["action_requests"] if before.pending_review else [{}]
        kinds = [deed.kinds[n % len(deed.kinds)] for n in range(len(actions))]
        decisions: list[Any] = [
            decision_of(kind, action) if action else {"type": kind}
            for kind, action in zip(kinds, actions, strict=True)
        ]
        if deed.shape == "short":
            decisions = decisions[1:]
        elif deed.shape == "odd":
            decisions[-1] = {"type": "postpone"}
        review_id = {"nothing": None, "the pause": before.review_id}.get(deed.names, "another")
        return decisions, review_id

    def _after_decisions(
        self,
        deed: Decide,
        decisions: Any,
        review_id: str | None,
        before: Any,
        unsettled: AcceptedReview | None,
    ) -> set[str]:
        if unsettled is not None:
            same = review_id in {None, unsettled.review_id} and decisions == unsettled.decisions
            return MOVED if same else {ReviewAlreadyDecidedError.__name__, FAILED}
        if before.pending_review is None:
            return {NoPendingReviewError.__name__}
        if review_id is not None and review_id != before.review_id:
            return {StaleReviewError.__name__}
        fits = len(decisions) == len(before.pending_review["action_requests"])
        if not fits or not all(map(_is_usable, decisions)):
            return {InvalidReviewDecisionError.__name__}
        if self.world.supervised:
            return MOVED
        rounds, round_ = self.plans[_last_message(before)], _rounds_taken(before) - 1
        return {outcome_after(rounds, round_, [d["type"] for d in decisions])}

    # Requests

    def _send(self, request: Request) -> Any:
        usecase, thread_id = self.world.usecase, self.world.thread_id
        try:
            if isinstance(request.deed, Say):
                return usecase.send_message(request.body, thread_id)
            return usecase.submit_review(request.body, thread_id, request.review_id)
        except BaseException as error:  # noqa: BLE001 - the rules say which may come
            return error

    def _request(self, request: Request, step: Step) -> None:
        before, truth = self.view, self.world.truth
        open_before = set(truth.accepted) - truth.settled
        accepted_before = set(truth.accepted)
        life = self.world.life
        life.arm(step.fault)
        outcome = self._send(request)
        life.arm(None)
        if life.faults:
            truth.faulty |= open_before | (set(truth.accepted) - accepted_before)
        faulty = bool(life.faults)
        if faulty and self.world.supervised and step.fault and step.fault.kind == "outage":
            self.asked_again = True
        if life.dead:
            self.world.start_process()
        life.faults = 0
        self._remember(request, outcome)
        if faulty:
            return
        assert name_of(outcome) in request.allowed, (request, outcome)
        after = self._look()
        self._check_outcome(outcome, after)
        if isinstance(outcome, DomainError) and not open_before:
            assert after == before, "a refused request changed something"

    def _remember(self, request: Request, outcome: Any) -> None:
        if isinstance(request.deed, Decide):
            self.last = request.body, request.review_id
        elif name_of(outcome) in MOVED and request.body not in self.arrived:
            self.arrived.append(request.body)
        elif isinstance(outcome, DomainError) and request.body != _last_message(self.view):
            self.refused.add(request.body)

    def _together(self, deed: Together) -> None:
        one = self._prepare(deed.one)
        self.number += 1
        other = self._prepare(deed.other)
        with self.world.crowded(), ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(self._send, [one, other]))
        for request, outcome in zip((one, other), outcomes, strict=True):
            self._remember(request, outcome)
            known = name_of(outcome) in MOVED or isinstance(outcome, DomainError)
            assert known, (request, outcome)
        self._take_their_order_from_the_store(one, other)
        names = [name_of(outcome) for outcome in outcomes]
        if isinstance(deed.one, Decide) and isinstance(deed.other, Decide):
            valid = [bool(request.allowed & MOVED) for request in (one, other)]
            named = one.review_id and other.review_id
            moved = sum(name in MOVED for name in names)
            assert moved == any(valid) or not named, (one, other, outcomes)

    def _take_their_order_from_the_store(self, one: Request, other: Request) -> None:
        """Either of two messages that are sent at the same moment may be the first to arrive."""
        stored = _user_texts(self._look())
        if self.arrived[-2:] == [one.body, other.body] and {one.body, other.body} <= set(stored):
            self.arrived[-2:] = sorted(self.arrived[-2:], key=stored.index)

    def _check_outcome(self, outcome: Any, after: Any) -> None:
        if name_of(outcome) == PAUSE:
            assert after.review_id == outcome.review_id
            assert after.pending_review == outcome.pending_review
        if name_of(outcome) == ANSWER:
            assert after.pending_review is None
            assert not after.unfinished
            assert after.entries[-1].text == outcome.answer
        if isinstance(outcome, ReviewPendingError):
            assert after.pending_review is not None

    # What is true after every step

    def _check_conversation(self, view: Any) -> None:
        truth = self.world.truth
        self._check_what_ran()
        texts = _user_texts(view)
        assert len(set(texts)) == len(texts), "a message is stored twice"
        assert set(self.arrived) <= set(texts), "a message is lost"
        assert [text for text in texts if text in self.arrived] == self.arrived, "out of order"
        assert not self.refused & set(texts), "a refused message is stored"
        assert view.review_id not in truth.accepted, "a decided pause waits"
        if view.pending_review is None and not view.unfinished and truth.unsettled is None:
            _assert_well_formed(view.entries)
        if view.pending_review is not None:
            self._check_pause(view)
        for review_id in truth.settled:
            self._check_settled(truth.accepted[review_id], view)

    def _check_pause(self, view: Any) -> None:
        message = _last_message(view)
        rounds, round_ = self.plans[message], _rounds_taken(view) - 1
        shown = [each["args"]["token"] for each in view.pending_review["action_requests"]]
        plan_number = shown[0].split(".")[0]
        asked = [
            token_of(int(plan_number), round_, place)
            for place, (guarded, _) in enumerate(rounds[round_])
            if guarded
        ]
        assert shown == asked or (self.world.supervised and set(shown) <= set(asked)), view

    def _approvals(self) -> Counter[str]:
        """Count the decisions for each token: the same edit may be sent for two pauses."""
        reviews = self.world.truth.accepted.values()
        return Counter(token for review in reviews for token in tokens(review)[0])

    def _check_what_ran(self) -> None:
        approved = self._approvals()
        for token, times in self.world.truth.done.items():
            assert approved[token], "something ran without a decision for it"
            assert times <= approved[token], "something ran twice"

    def _check_settled(self, review: AcceptedReview, view: Any) -> None:
        truth = self.world.truth
        faulty = review.review_id in truth.faulty
        status = {action.action.args.get("token"): action.status.value for action in view.actions}
        approved, rejected = tokens(review)
        approvals = self._approvals()
        for token in approved:
            if approvals[token] > 1 or (self.asked_again and token not in status):
                continue
            assert status.get(token) in {"succeeded", "failed", "unknown"}, "a decision is lost"
            if status[token] == "succeeded":
                assert truth.done[token] == 1
            elif status[token] == "unknown":
                assert faulty, "an outcome is unknown although nothing went wrong"
            if not self.world.supervised:
                self._check_result(token, status[token], view)
        for token in rejected:
            assert token not in status
            assert not truth.done[token]

    def _check_result(self, token: str, status: str, view: Any) -> None:
        """The model was told what the record says."""
        call_id = next(
            call["id"]
            for entry in view.entries
            for call in entry.tool_calls
            if call["args"].get("token") == token
        )
        [result] = [entry for entry in view.entries if entry.tool_call_id == call_id] or [None]
        if result is None:
            return  # the turn goes on beside it
        if status == "unknown":
            assert result.text in {OUTCOME_UNKNOWN_MESSAGE, NO_RESULT_MESSAGE}
        assert result.failed == (status != "succeeded")

    def _check_that_it_goes_on(self) -> None:
        """Without faults, a few ordinary requests lead to an answer from wherever it stands."""
        outcome: Any = None
        for _ in range(4):
            self.number += 1
            hello = Say()
            outcome = self._send(self._prepare(hello))
            self.view = self._look()
            if name_of(outcome) == ANSWER:
                break
            assert isinstance(outcome, ReviewPendingError), outcome
            rejection = self._prepare(Decide(("reject",)))
            assert name_of(self._send(rejection)) in MOVED
            self.view = self._look()
        assert outcome.answer == GREETING
        view = self._look()
        assert view.pending_review is None
        assert not view.unfinished
        _assert_well_formed(view.entries)
        self._check_what_ran()
        assert self.world.truth.unsettled is None


def tokens(review: AcceptedReview) -> tuple[list[str], list[str]]:
    """Return the tokens that these decisions let happen, and those that they forbid."""
    approved: list[str] = []
    rejected: list[str] = []
    for action, decision in zip(
        review.pending_review["action_requests"], review.decisions, strict=True
    ):
        token = action["args"]["token"]
        if decision["type"] == "edit":
            approved.append(decision["edited_action"]["args"]["token"])
        (approved if decision["type"] == "approve" else rejected).append(token)
    return approved, rejected


def _is_usable(decision: Any) -> bool:
    return decision["type"] != "postpone" and (
        decision["type"] != "edit" or "edited_action" in decision
    )


def _user_texts(view: Any) -> list[str]:
    return [entry.text for entry in view.entries if entry.role == "user"]


def _last_message(view: Any) -> Any:
    return next(reversed(_user_texts(view)), None)


def _rounds_taken(view: Any) -> int:
    taken = 0
    for entry in reversed(view.entries):
        if entry.role == "user":
            break
        taken += bool(entry.tool_calls)
    return taken


def _assert_well_formed(entries: Sequence[Any]) -> None:
    position = 0
    while position < len(entries):
        entry = entries[position]
        assert entry.role != "tool", "a result without a call"
        asked = [call["id"] for call in entry.tool_calls]
        results = entries[position + 1 : position + 1 + len(asked)]
        assert [result.tool_call_id for result in results] == asked, "a call without its result"
        position += 1 + len(asked)
    assert not entries or entries[-1].role == "assistant"
    answers = [entry.role == "assistant" and not entry.tool_calls for entry in entries]
    assert (True, True) not in set(pairwise(answers)), "two answers to one message"
