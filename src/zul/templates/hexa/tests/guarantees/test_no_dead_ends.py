"""Failures that no tool and no model causes, and after which the conversation goes on."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from typing_extensions import override

from src.application.AI.agents.human_in_the_loop.nodes import human_in_the_loop_nodes
from src.application.AI.agents.subagents.subagents import SubagentSpec, build_supervisor_agent
from src.application.AI.agents.tool_node import OUTCOME_UNKNOWN_MESSAGE
from src.application.errors import StoreError
from src.application.ports.action_ledger import Action, ActionOutcome, Claim
from src.application.ports.conversation_stores import ConversationStores
from src.application.ports.in_memory import InMemoryActionLedger, InMemoryReviewLog
from src.application.usecases.conversations import ConversationsUseCase
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.domain.exceptions import DomainError, NoPendingReviewError
from tests.application.desk import Desk
from tests.application.scenario import (
    APPROVE,
    Office,
    asks_for,
    assert_well_formed,
    call,
    email_to,
    results_of,
    texts_of_user,
)
from tests.fakes.scripted_model import ScriptedChatModel
from tests.guarantees.planted import OpenLock


def test_a_decision_that_cannot_be_applied_does_not_wait_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk(asks_for(email_to("alice")), "Halo.")
    desk.say("Kirim")

    def fail(*_: Any) -> Any:
        raise TypeError("an odd block of a provider")

    with monkeypatch.context() as broken:
        broken.setattr(human_in_the_loop_nodes, "_apply", fail)
        with pytest.raises(TypeError):
            desk.decide(APPROVE)
        # The next request tries it once more, gives it up and goes on.
        assert desk.say("Halo").answer == "Halo."

    assert desk.office.sent == []
    assert_well_formed(desk.messages)
    with pytest.raises(NoPendingReviewError):
        desk.decide(APPROVE)


class _Outage(InMemoryActionLedger):
    """A ledger whose store does not answer for a while, at one of its methods."""

    def __init__(self, fails_at: str) -> None:
        super().__init__()
        self.fails_at = fails_at

    @override
    def claim(self, action: Action, *, repeatable: bool = False) -> Claim:
        self._fail("claim")
        return super().claim(action, repeatable=repeatable)

    @override
    def record(self, key: str, outcome: ActionOutcome) -> None:
        self._fail("record")
        super().record(key, outcome)

    def _fail(self, method: str) -> None:
        if self.fails_at == method:
            raise StoreError


class TestAStoreThatFailsInsideASubagent:
    """The supervisor is not told that its subagent failed: nobody knows, and the ledger does."""

    def supervised(self, ledger: _Outage, office: Office) -> ReviewedChatUseCase:
        model = ScriptedChatModel(
            script=[
                asks_for(call("helper", "h1", query="kirim")),
                asks_for(email_to("alice")),
                "Sudah.",
                "Selesai.",
                "Halo juga.",
            ]
        )
        helper = SubagentSpec(
            "helper", "Helps.", "Help.", office.tools, tools_requiring_approval=["send_email"]
        )
        return ReviewedChatUseCase(
            build_supervisor_agent(model, [helper], checkpointer=InMemorySaver(), ledger=ledger)
        )

    def test_before_the_action_it_runs_when_the_store_is_back(self) -> None:
        office, ledger = Office(), _Outage("claim")
        usecase = self.supervised(ledger, office)
        usecase.send_message("Minta tolong", "t")
        for request in (usecase.submit_review, usecase.submit_review):
            with pytest.raises(StoreError):
                request([APPROVE], "t")
        with pytest.raises(StoreError):
            usecase.send_message("Halo", "t")
        ledger.fails_at = "never"

        assert usecase.submit_review([APPROVE], "t").answer == "Selesai."
        assert office.sent == ["alice"]
        assert [record.status for record in ledger.records("t")] == ["succeeded"]
        assert usecase.send_message("Halo", "t").answer == "Halo juga."

    def test_after_the_action_its_outcome_is_unknown(self) -> None:
        office, ledger = Office(), _Outage("record")
        usecase = self.supervised(ledger, office)
        usecase.send_message("Minta tolong", "t")
        with pytest.raises(StoreError):
            usecase.submit_review([APPROVE], "t")

        assert usecase.submit_review([APPROVE], "t").answer == "Selesai."
        assert office.sent == ["alice"]
        assert [record.status for record in ledger.records("t")] == ["unknown"]
        assert usecase.send_message("Halo", "t").answer == "Halo juga."


def test_looking_never_shows_a_pause_that_was_decided() -> None:
    desk = Desk(asks_for(email_to("alice")), asks_for(email_to("budi", "c2")), "Selesai.")
    reviews = InMemoryReviewLog()
    usecase = ReviewedChatUseCase(desk.agent, reviews=reviews)
    stores = ConversationStores(reviews=reviews, ledger=desk.ledger)
    conversations = ConversationsUseCase(desk.agent, stores=stores)
    first = usecase.send_message("Kirim dua", "t")
    assert conversations.show("t").review_id == first.review_id

    second = usecase.submit_review([APPROVE], "t")

    assert conversations.show("t").review_id == second.review_id
    with pytest.raises(DomainError):
        usecase.submit_review([APPROVE], "t", review_id=first.review_id)
    usecase.submit_review([APPROVE], "t", review_id=second.review_id)
    assert conversations.show("t").pending_review is None
    assert desk.office.sent == ["alice", "budi"]


def test_the_same_message_after_a_crash_in_its_review_is_no_second_wish() -> None:
    def die(_: Any) -> str:
        raise SystemExit

    desk = Desk(asks_for(email_to("alice")), die, "Terkirim.", "Halo.")
    desk.say("Kirim")
    with pytest.raises(SystemExit):
        desk.decide(APPROVE)

    assert desk.say("Kirim").answer == "Terkirim."

    assert desk.office.sent == ["alice"]
    assert texts_of_user(desk.messages) == ["Kirim"]
    assert desk.say("Halo").answer == "Halo."
    assert_well_formed(desk.messages)


def test_an_action_runs_once_though_its_lock_was_lost_on_the_way() -> None:
    """Another process was let in while the action ran; only the ledger stands between them."""
    started, go_on, sent = threading.Event(), threading.Event(), []

    @tool
    def send_email(to: str) -> str:
        """Send an email."""
        started.set()
        assert go_on.wait(timeout=30)
        sent.append(to)
        return "Sent"

    desk = Desk(asks_for(email_to("alice")), *["Sudah."] * 2, "Halo.", tools=[send_email])
    reviews = InMemoryReviewLog()
    one, other = (
        ReviewedChatUseCase(desk.agent, lock=OpenLock(), reviews=reviews) for _ in range(2)
    )
    one.send_message("Kirim", "t")
    with ThreadPoolExecutor(1) as beside:
        first = beside.submit(one.submit_review, [APPROVE], "t")
        assert started.wait(timeout=30)
        second = other.submit_review([APPROVE], "t")
        told = results_of(desk.model.inputs[1])[0].text
        go_on.set()
        first.exception(timeout=30)

    assert second.answer == "Sudah."
    assert told == OUTCOME_UNKNOWN_MESSAGE
    assert sent == ["alice"]
    assert [record.status for record in desk.ledger.records("t")] == ["succeeded"]
    assert other.send_message("Halo", "t").answer in {"Halo.", "Sudah."}
    assert_well_formed(desk.messages)
