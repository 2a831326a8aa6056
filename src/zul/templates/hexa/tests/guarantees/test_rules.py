"""Random sequences of messages, decisions, failures, crashes and simultaneous requests.

They are compared with a small model of the rules. ``PROPERTY_SEQUENCES=10000`` makes the long run.
"""

import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from src.application.AI.agents.human_in_the_loop.nodes import human_in_the_loop_nodes
from tests.guarantees.known_sequences import KNOWN
from tests.guarantees.planted import (
    ForgetfulReviews,
    GenerousLedger,
    OpenLock,
    StoreWith,
)
from tests.guarantees.rules import Rulebook
from tests.guarantees.steps import Steps, sequences
from tests.guarantees.world import DatabaseStore, MemoryStore, Store, World

SEQUENCES = int(os.environ.get("PROPERTY_SEQUENCES", "0"))

pytestmark = pytest.mark.timeout(600 + SEQUENCES)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Thousands of failures on purpose would fill the log."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def try_sequences(check: Callable[[Steps], None], examples: int) -> None:
    given_sequences = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        print_blob=True,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )(given(sequences)(check))
    given_sequences()


def follow_rules(make_world: Callable[[], World], *, examples: int) -> None:
    def check(steps: Steps) -> None:
        Rulebook(make_world()).follow(steps)

    try_sequences(check, examples)


@pytest.mark.parametrize("supervised", [False, True], ids=["agent", "subagents"])
def test_no_sequence_breaks_a_rule_in_memory(supervised: bool) -> None:
    follow_rules(
        lambda: World(MemoryStore(), supervised=supervised),
        examples=SEQUENCES or (60 if supervised else 200),
    )


@pytest.mark.parametrize("supervised", [False, True], ids=["agent", "subagents"])
def test_no_sequence_breaks_a_rule_on_sqlite(
    supervised: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'app.db'}")
    follow_rules(
        lambda: World(DatabaseStore(), supervised=supervised),
        examples=SEQUENCES or (30 if supervised else 60),
    )


@pytest.mark.parametrize("supervised", [False, True], ids=["agent", "subagents"])
@pytest.mark.parametrize("steps", KNOWN.values(), ids=list(KNOWN))
def test_it_does_not_happen_again_that(steps: Steps, supervised: bool) -> None:
    for _ in range(5):  # some of it was a matter of chance
        Rulebook(World(MemoryStore(), supervised=supervised)).follow(steps)


class TestPlantedViolations:
    """The check is worth something: it finds what is wrong on purpose."""

    def assert_found(self, make_store: Callable[[], Store]) -> None:
        found: list[AssertionError] = []

        def check(steps: Steps) -> None:
            if found:
                return  # once is enough; threads make it hard to find the very same one again
            try:
                Rulebook(World(make_store(), overlap=0.2)).follow(steps)
            except AssertionError as error:
                found.append(error)

        try_sequences(check, examples=1_000)
        assert found

    def test_a_ledger_that_always_grants_is_found(self) -> None:
        self.assert_found(lambda: StoreWith(ledger=GenerousLedger()))

    def test_a_decision_that_is_not_stored_is_found(self) -> None:
        self.assert_found(lambda: StoreWith(reviews=ForgetfulReviews()))

    def test_a_lock_that_does_not_lock_is_found(self) -> None:
        self.assert_found(lambda: StoreWith(lock=OpenLock()))

    def test_a_rejection_that_is_ignored_is_found(self, monkeypatch: pytest.MonkeyPatch) -> None:
        faithful = human_in_the_loop_nodes._decisions_for

        def approve_everything(*args: Any) -> list[dict[str, Any]]:
            decisions = faithful(*args)
            return [{"type": "approve"} if d["type"] == "reject" else d for d in decisions]

        monkeypatch.setattr(human_in_the_loop_nodes, "_decisions_for", approve_everything)
        self.assert_found(MemoryStore)

    def test_a_call_that_needs_no_decision_is_found(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def approve_the_first(calls: Any, *_: Any) -> list[dict[str, Any]]:
            return [{"type": "approve"} for _ in calls]

        monkeypatch.setattr(human_in_the_loop_nodes, "_decisions_for", approve_the_first)
        self.assert_found(MemoryStore)
