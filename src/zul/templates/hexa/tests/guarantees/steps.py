"""What people do to a conversation, as plain data that can be drawn, shrunk and printed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from hypothesis import strategies as st

from tests.guarantees.journal import FREE, GUARDED
from tests.guarantees.mortal import POINTS, POINTS_OF_AN_ACTION, POINTS_OF_THE_SAVER, Fault
from tests.guarantees.planned_model import plan
from tests.guarantees.world import HELPER

Then = Literal["ok", "raise", "bad"]
Call = tuple[bool, Then]  # whether it needs approval, and how it ends
Rounds = tuple[tuple[Call, ...], ...]


@dataclass(frozen=True)
class Say:
    """A message. ``again`` repeats the last one if its turn stopped half-way."""

    rounds: Rounds = ()
    again: bool = False
    blank: bool = False


@dataclass(frozen=True)
class Decide:
    """Decisions, as many of ``kinds`` as are needed. ``repeat`` sends the last ones once more."""

    kinds: tuple[str, ...]
    names: Literal["nothing", "the pause", "another pause"] = "the pause"
    shape: Literal["fits", "short", "odd"] = "fits"
    repeat: bool = False


@dataclass(frozen=True)
class Restart:
    """A new process takes over."""


@dataclass(frozen=True)
class Together:
    """Two requests at the same moment."""

    one: Say | Decide
    other: Say | Decide


@dataclass(frozen=True)
class Step:
    deed: Say | Decide | Restart | Together
    fault: Fault | None = None


Steps: TypeAlias = Sequence[Step]


def token_of(number: int, round_: int, place: int) -> str:
    return f"{number}.{round_}.{place}"


def message_of(rounds: Rounds, number: int, *, supervised: bool) -> str:
    """The plan that makes the model do this; different for each number."""
    if not rounds:
        return f"Hello {number}"
    planned = [
        [_call(number, r, c, call) for c, call in enumerate(calls)]
        for r, calls in enumerate(rounds)
    ]
    if supervised:
        planned = [[(HELPER, {"query": plan([call])}) for call in calls] for calls in planned]
    return plan(*planned)


def _call(number: int, round_: int, place: int, call: Call) -> tuple[str, dict[str, Any]]:
    guarded, then = call
    args = {"token": token_of(number, round_, place), "then": 5 if then == "bad" else then}
    return GUARDED if guarded else FREE, args


def decision_of(kind: str, action: dict[str, Any]) -> dict[str, Any]:
    if kind == "edit":
        args = {"token": f"{action['args']['token']}e", "then": "ok"}
        return {"type": "edit", "edited_action": {"name": GUARDED, "args": args}}
    return {"type": kind}


_calls = st.tuples(
    st.sampled_from([True, True, False]), st.sampled_from(["ok", "ok", "ok", "raise", "bad"])
)
_round = st.lists(_calls, min_size=1, max_size=3).map(tuple)
_wishes = st.builds(Say, st.lists(_round, min_size=1, max_size=2).map(tuple))
_says = st.one_of(
    _wishes,
    st.builds(Say, st.just(()), again=st.booleans()),
    st.builds(Say, blank=st.just(True)),
)
_kinds = st.lists(
    st.sampled_from(["approve", "approve", "reject", "edit"]), min_size=1, max_size=3
).map(tuple)
_decisions = st.builds(Decide, _kinds, st.sampled_from(["the pause", "nothing"]))
_wrong_decisions = st.builds(
    Decide,
    _kinds,
    st.sampled_from(["nothing", "the pause", "another pause"]),
    st.sampled_from(["fits", "short", "odd"]),
    st.booleans(),
)
_requests = st.one_of(_says, _decisions, _wrong_decisions)
_faults = st.one_of(
    st.builds(Fault, st.sampled_from(["crash", "outage"]), st.sampled_from(POINTS)),
    # Around the action itself, and in the background where checkpoints are written.
    st.builds(
        Fault, st.just("crash"), st.sampled_from(POINTS_OF_AN_ACTION), st.sampled_from([1, 1, 2])
    ),
    st.builds(
        Fault,
        st.sampled_from(["crash", "outage"]),
        st.sampled_from(POINTS_OF_THE_SAVER),
        st.integers(1, 4),
    ),
)


def _in_a_row(*deeds: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Step]]:
    return st.tuples(*(st.builds(Step, deed) for deed in deeds)).map(list)


def _faulty(deeds: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    return st.builds(Step, deeds, _faults)


_anything = st.one_of(_faulty(_requests), st.builds(Step, st.one_of(_requests, st.just(Restart()))))
_episodes = st.one_of(
    st.lists(_anything, min_size=1, max_size=2),
    _in_a_row(_wishes, _decisions),
    _in_a_row(_wishes, st.builds(Together, _decisions, st.one_of(_decisions, _requests))),
    _in_a_row(st.builds(Together, _requests, _requests)),
    # The heart of the matter: a decision goes wrong, and then one or two requests come.
    st.tuples(
        st.builds(Step, _wishes),
        _faulty(_decisions),
        st.one_of(
            _faulty(_decisions),
            st.builds(Step, st.builds(Decide, _kinds, repeat=st.just(True))),
            st.builds(Step, _requests),
        ),
    ).map(list),
)
sequences: st.SearchStrategy[Steps] = st.lists(_episodes, min_size=1, max_size=4).map(
    lambda episodes: [step for episode in episodes for step in episode]
)
