"""Turns that a crash interrupts, and what must be true of them afterwards."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from src.application.AI.agents.tool_node import OUTCOME_UNKNOWN_MESSAGE
from tests.guarantees.journal import FREE, GUARDED, Journal
from tests.guarantees.planned_model import plan
from tests.guarantees.views import View, assert_well_formed, results_of

SECONDS = 0.012
"""How long an action takes."""


@dataclass(frozen=True)
class Turn:
    """What a person says, and how the actions that it leads to are decided.

    Attributes:
        agent: the path of the endpoints.
        reviews: the decisions of each pause, in order.
        approved: tokens of actions that have to happen, at most once.
        rejected: tokens of actions that must never happen.
    """

    agent: str
    message: str
    reviews: Sequence[Sequence[dict[str, Any]]] = ()
    approved: Sequence[str] = ()
    rejected: Sequence[str] = ()


APPROVE = {"type": "approve"}
REJECT = {"type": "reject", "message": "no"}


def _transfer(token: str) -> tuple[str, dict[str, Any]]:
    return GUARDED, {"token": token, "seconds": SECONDS}


def _look_up(token: str) -> tuple[str, dict[str, Any]]:
    return FREE, {"token": token, "seconds": SECONDS / 2}


def _edit(token: str) -> dict[str, Any]:
    name, args = _transfer(token)
    return {"type": "edit", "edited_action": {"name": name, "args": args}}


def _assist(*calls: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    return "assistant", {"query": plan(calls)}


def _one(t: str) -> Turn:
    return Turn("/hitl", plan([_transfer(t)]), [[APPROVE]], approved=[t])


def _parallel(t: str) -> Turn:
    tokens = [f"{t}-{n}" for n in range(3)]
    calls = [*map(_transfer, tokens), _look_up(t)]
    return Turn("/hitl", plan(calls), [[APPROVE] * 3], approved=tokens)


def _edited(t: str) -> Turn:
    wanted, shown = f"{t}-edited", f"{t}-shown"
    message = plan([_transfer(shown), _look_up(t)])
    return Turn("/hitl", message, [[_edit(wanted)]], approved=[wanted], rejected=[shown])


def _mixed(t: str) -> Turn:
    yes, no, changed, shown = (f"{t}-{kind}" for kind in ("yes", "no", "changed", "shown"))
    calls = [_transfer(no), _look_up(t), _transfer(yes), _transfer(shown)]
    decisions = [REJECT, APPROVE, _edit(changed)]
    return Turn("/hitl", plan(calls), [decisions], approved=[yes, changed], rejected=[no, shown])


def _two_pauses(t: str) -> Turn:
    first, second = f"{t}-first", f"{t}-second"
    message = plan([_transfer(first)], [_transfer(second), _look_up(t)])
    return Turn("/hitl", message, [[APPROVE], [APPROVE]], approved=[first, second])


def _subagent(t: str) -> Turn:
    message = plan([_assist(_transfer(t), _look_up(t))])
    return Turn("/subagents", message, [[APPROVE]], approved=[t])


def _two_subagents(t: str) -> Turn:
    one, other, no = f"{t}-one", f"{t}-other", f"{t}-no"
    message = plan([_assist(_transfer(one)), _assist(_transfer(no), _transfer(other))])
    decisions = [APPROVE, REJECT, APPROVE]
    return Turn("/subagents", message, [decisions], approved=[one, other], rejected=[no])


def _plain(t: str) -> Turn:
    return Turn("/chat", plan([_look_up(t), _look_up(t)], [_look_up(t)], [_look_up(t)]))


SCENARIOS: dict[str, Callable[[str], Turn]] = {
    "one": _one,
    "parallel": _parallel,
    "edited": _edited,
    "mixed": _mixed,
    "two pauses": _two_pauses,
    "subagent": _subagent,
    "two subagents": _two_subagents,
    "plain": _plain,
}


@dataclass
class Findings:
    """What became of approved actions, and everything that should not have."""

    succeeded: int = 0
    unknown: int = 0
    ran_twice: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    ran_rejected: list[str] = field(default_factory=list)
    unreported: list[str] = field(default_factory=list)

    def inspect(self, turn: Turn, view: View, journal: Journal) -> None:
        """Look at a finished conversation and at what really happened."""
        assert_well_formed(view)
        started, ended = journal.started(), journal.ended()
        status = {action["args"]["token"]: action["status"] for action in view["actions"]}
        assert set(status) <= set(turn.approved)
        self.ran_rejected += [token for token in turn.rejected if started[token]]
        for token in turn.approved:
            self._inspect_action(token, status.get(token), started[token], ended[token])
        unknown = sum(status.get(token) == "unknown" for token in turn.approved)
        if unknown != _reported_as_unknown(view):
            self.unreported.append(turn.message)

    def _inspect_action(self, token: str, status: str | None, started: int, ended: int) -> None:
        if started > 1:
            self.ran_twice.append(token)
        if status == "unknown":
            self.unknown += 1
        elif status == "succeeded" and (started, ended) == (1, 1):
            self.succeeded += 1
        elif started:  # it ran, or half of it, and the record does not say so
            self.unreported.append(token)
        else:
            self.lost.append(token)

    def assert_none_is_wrong(self) -> None:
        wrong = (self.ran_twice, self.lost, self.ran_rejected, self.unreported)
        assert wrong == ([], [], [], []), self


def _reported_as_unknown(view: View) -> int:
    """Count what the model was told: by the tool's result, or by the subagent that was told."""
    return sum(
        result["text"] == OUTCOME_UNKNOWN_MESSAGE
        if result["name"] != "assistant"
        else _counted_by_subagent(result["text"])
        for result in results_of(view)
    )


def _counted_by_subagent(text: str) -> int:
    return int(json.loads(text).get("unknown", 0))
