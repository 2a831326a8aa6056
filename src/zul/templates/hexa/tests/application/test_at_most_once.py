"""An approved action runs at most once, whatever happens around it."""

import copy
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from typing_extensions import override

from src.application.actions import (
    action_key,
    canonical_json,
    carrying_out,
    current_action_key,
    is_repeatable,
    repeatable,
)
from src.application.AI.agents.subagents.subagents import SubagentSpec, build_subagent_tool
from src.application.AI.agents.tool_node import OUTCOME_UNKNOWN_MESSAGE
from src.application.errors import ModelCallError
from src.application.ports.action_ledger import ActionStatus
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.in_memory import InMemoryActionLedger, InMemoryConversationLock
from src.application.usecases.reviewed_chat import ChatTurn, ReviewedChatUseCase
from src.domain.exceptions import (
    DomainError,
    NoPendingReviewError,
    ReviewAlreadyDecidedError,
    ReviewPendingError,
    StaleReviewError,
)
from tests.application.desk import Desk
from tests.application.scenario import (
    APPROVE,
    REJECT,
    AllAtOnce,
    Office,
    asks_for,
    assert_well_formed,
    call,
    edit_to,
    email_to,
    results_of,
    texts_of_user,
)
from tests.fakes.scripted_model import ScriptedChatModel

PROVIDER_DOWN = ConnectionError("no route to host")


class PowerCut(BaseException):
    """The process dies here."""


class Door(ConversationLock):
    """Knows who came to the conversation, let in or not."""

    def __init__(self) -> None:
        self.guests: list[str] = []
        self._lock = InMemoryConversationLock()

    @override
    def hold(
        self, thread_id: str, *, wait_seconds: float | None = None
    ) -> AbstractContextManager[None]:
        self.guests.append(thread_id)
        return self._lock.hold(thread_id, wait_seconds=wait_seconds)

    def wait_for_guests(self, count: int) -> None:
        deadline = time.monotonic() + 30
        while len(self.guests) < count:
            assert time.monotonic() < deadline
            time.sleep(0.005)


class Bank:
    """Pays, and may lose power at the first payment: before the money moves, or after."""

    def __init__(self, *, cut: str = "never", seconds: float = 0.0) -> None:
        self.paid: list[int] = []
        self.keys: list[str | None] = []
        self._cut = cut
        self._seconds = seconds

    @property
    def pay(self) -> BaseTool:
        @tool
        def pay(amount: int) -> str:
            """Transfer money."""
            self.keys.append(current_action_key())
            time.sleep(self._seconds)
            self._cut_power("before")
            self.paid.append(amount)
            self._cut_power("after")
            return f"Paid {amount}"

        return pay

    def _cut_power(self, when: str) -> None:
        if self._cut == when:
            self._cut = "never"
            raise PowerCut


def payment(amount: int = 100, call_id: str = "p1") -> Any:
    return call("pay", call_id, amount=amount)


def desk_of(bank: Bank, *replies: Any, pay: BaseTool | None = None) -> Desk:
    return Desk(*replies, tools=[pay or bank.pay], gated=["pay"])


def statuses(desk: Desk) -> list[str]:
    return [record.status for record in desk.ledger.records("t")]


class TestTwoReviewersAtOnce:
    def test_b23_a_double_click_pays_once(self) -> None:
        bank = Bank(seconds=0.1)
        desk = desk_of(bank, asks_for(payment()), "Dibayar.")
        desk.say("Bayar")

        outcomes = AllAtOnce(lambda: desk.decide(APPROVE), lambda: desk.decide(APPROVE)).outcomes

        assert bank.paid == [100]
        assert {type(outcome) for outcome in outcomes} == {ChatTurn, NoPendingReviewError}
        assert_well_formed(desk.messages)

    def test_of_two_opinions_one_counts(self) -> None:
        bank = Bank(seconds=0.05)
        desk = desk_of(bank, asks_for(payment()), "Baik.")
        desk.say("Bayar")

        outcomes = AllAtOnce(lambda: desk.decide(APPROVE), lambda: desk.decide(REJECT)).outcomes

        assert sum(isinstance(outcome, ChatTurn) for outcome in outcomes) == 1
        assert bank.paid == ([100] if isinstance(outcomes[0], ChatTurn) else [])
        assert len(results_of(desk.messages)) == 1

    def test_a_late_click_decides_no_later_pause_that_it_did_not_see(self) -> None:
        bank = Bank()
        desk = desk_of(bank, asks_for(payment(100, "p1")), asks_for(payment(900, "p2")))
        first = desk.say("Bayar")
        desk.decide(APPROVE, review_id=first.review_id)

        with pytest.raises(DomainError):
            desk.decide(APPROVE, review_id=first.review_id)

        assert bank.paid == [100]

    def test_a_second_click_that_waits_decides_nothing_that_came_up_meanwhile(self) -> None:
        bank, door = Bank(), Door()
        desk = desk_of(bank, asks_for(payment(100, "p1")), asks_for(payment(900, "p2")))
        desk.usecase = ReviewedChatUseCase(desk.agent, lock=door)
        desk.say("Bayar")

        with ThreadPoolExecutor() as people:
            with door.hold("t"):
                door.guests.clear()
                clicks = [people.submit(desk.decide, APPROVE) for _ in range(2)]
                door.wait_for_guests(2)
            errors = [click.exception() for click in clicks]

        assert bank.paid == [100]
        assert {type(error) for error in errors} == {type(None), StaleReviewError}

    def test_a_click_while_the_agent_works_decides_nothing_that_it_comes_to(self) -> None:
        bank, door = Bank(), Door()
        clicks: list[Future[ChatTurn]] = []

        def ask_for_more_while_somebody_clicks(_: Any) -> Any:
            door.guests.clear()
            clicks.append(people.submit(desk.decide, APPROVE))
            door.wait_for_guests(1)
            return asks_for(payment(900, "p2"))

        desk = desk_of(bank, asks_for(payment(100, "p1")), ask_for_more_while_somebody_clicks)
        desk.usecase = ReviewedChatUseCase(desk.agent, lock=door)
        desk.say("Bayar")

        with ThreadPoolExecutor() as people:
            turn = desk.decide(APPROVE)
            error = clicks[0].exception()

        assert bank.paid == [100]
        assert turn.pending_review is not None
        assert isinstance(error, StaleReviewError)


class TestActionKey:
    def test_a_tool_learns_the_key_of_the_action_it_carries_out(self) -> None:
        bank = Bank()
        desk = desk_of(bank, asks_for(payment(), payment(200, "p2")), "Dibayar.")
        desk.say("Bayar dua")

        desk.decide(APPROVE, APPROVE)

        assert sorted(map(str, bank.keys)) == sorted(
            record.action.key for record in desk.ledger.records("t")
        )
        assert len(set(bank.keys)) == 2

    def test_there_is_none_without_an_approval(self) -> None:
        bank = Bank()
        desk = Desk(asks_for(payment()), "Dibayar.", tools=[bank.pay], gated=[])

        desk.say("Bayar")

        assert bank.keys == [None]
        assert current_action_key() is None

    def test_it_holds_inside_the_block_only(self) -> None:
        with carrying_out("k1"):
            assert current_action_key() == "k1"

        assert current_action_key() is None

    def test_it_is_another_one_for_another_thread_message_call_tool_or_argument(self) -> None:
        keys = [
            action_key("t", "m1", payment()),
            action_key("u", "m1", payment()),
            action_key("t", "m2", payment()),
            action_key("t", "m1", payment(call_id="p2")),
            action_key("t", "m1", payment(200)),
            action_key("t", "m1", call("refund", "p1", amount=100)),
        ]

        assert len(set(keys)) == len(keys)
        assert all(len(key) == 64 for key in keys)

    def test_it_does_not_depend_on_the_order_of_the_arguments(self) -> None:
        one, other = call("pay", "p1", a=1, b=2), call("pay", "p1", b=2, a=1)

        assert action_key("t", "m", one) == action_key("t", "m", other)
        assert canonical_json({"b": [1], "a": None}) == '{"a":null,"b":[1]}'

    def test_an_edited_action_is_recorded_as_it_ran(self) -> None:
        bank = Bank()
        desk = desk_of(bank, asks_for(payment(900)), "Dibayar.")
        desk.say("Bayar")

        desk.decide(edit_to("pay", amount=90))

        [record] = desk.ledger.records("t")
        assert record.action.args == {"amount": 90}
        assert (record.action.name, record.action.tool_call_id) == ("pay", "p1")
        assert record.outcome is not None
        assert record.outcome.content == "Paid 90"
        assert record.status is ActionStatus.SUCCEEDED

    def test_a_rejected_action_is_not_recorded(self) -> None:
        desk = desk_of(Bank(), asks_for(payment()), "Baik.")
        desk.say("Bayar")

        desk.decide(REJECT)

        assert statuses(desk) == []


@pytest.mark.parametrize("cut", ["before", "after"])
class TestPowerCutDuringAnAction:
    """Nobody can say whether the money moved; so it is not moved again, and everybody is told."""

    def crashed(self, cut: str, *later: Any) -> tuple[Bank, Desk]:
        bank = Bank(cut=cut)
        desk = desk_of(bank, asks_for(payment()), *later)
        desk.say("Bayar")
        with pytest.raises(PowerCut):
            desk.decide(APPROVE)
        assert statuses(desk) == ["running"]
        return bank, desk

    def test_the_next_message_finishes_the_turn_and_is_answered(self, cut: str) -> None:
        bank, desk = self.crashed(cut, "Tidak jelas, cek rekening.", "Halo juga.")
        moved = list(bank.paid)

        turn = desk.say("Halo")

        assert turn.answer == "Halo juga."
        assert bank.paid == moved
        assert results_of(desk.model.inputs[1])[0].text == OUTCOME_UNKNOWN_MESSAGE
        assert statuses(desk) == ["unknown"]
        assert_well_formed(desk.messages)

    def test_the_same_review_again_finishes_the_turn(self, cut: str) -> None:
        bank, desk = self.crashed(cut, "Tidak jelas, cek rekening.")
        moved = list(bank.paid)

        turn = desk.decide(APPROVE)

        assert turn.answer == "Tidak jelas, cek rekening."
        assert bank.paid == moved
        assert_well_formed(desk.messages)

    def test_another_review_comes_too_late(self, cut: str) -> None:
        bank, desk = self.crashed(cut, "Tidak jelas, cek rekening.")
        moved = list(bank.paid)

        with pytest.raises(ReviewAlreadyDecidedError):
            desk.decide(REJECT)

        assert bank.paid == moved
        assert_well_formed(desk.messages)

    def test_a_repeatable_action_is_run_again_under_the_same_key(self, cut: str) -> None:
        bank = Bank(cut=cut)
        desk = desk_of(bank, asks_for(payment()), "Dibayar.", "Halo.", pay=repeatable(bank.pay))
        desk.say("Bayar")
        with pytest.raises(PowerCut):
            desk.decide(APPROVE)

        desk.say("Halo")

        assert bank.paid == ([100] if cut == "before" else [100, 100])
        assert len(bank.keys) == 2
        assert len(set(bank.keys)) == 1
        assert results_of(desk.messages)[0].text == "Paid 100"
        assert statuses(desk) == ["succeeded"]


class SlowSaver(InMemorySaver):
    """Stores what it is given after the tools have begun."""

    @override
    def put(self, *args: Any) -> RunnableConfig:
        time.sleep(0.1)
        return super().put(*args)

    @override
    def put_writes(self, *args: Any) -> None:
        time.sleep(0.1)
        super().put_writes(*args)


class TestAToolThatChangesItsArguments:
    """What is shown, run and stored is the reviewer's; the tool works on a copy."""

    def ordering(self, *later: Any, cut: bool = False) -> tuple[list[Any], Desk]:
        ran: list[Any] = []

        @tool
        def order(basket: dict[str, Any]) -> str:
            """Order what is in the basket."""
            ran.append(copy.deepcopy(basket))
            basket["items"].append("a gift")
            if cut and len(ran) == 1:
                time.sleep(0.5)
                raise PowerCut
            return "Ordered"

        wish = asks_for(call("order", "o1", basket={"items": ["a book"]}))
        desk = Desk(wish, *later, tools=[order], gated=["order"], checkpointer=SlowSaver())
        desk.say("Pesan")
        return ran, desk

    def test_changes_nothing_but_its_own_copy(self) -> None:
        ran, desk = self.ordering("Dipesan.")

        desk.decide(APPROVE)

        approved = {"basket": {"items": ["a book"]}}
        assert ran == [approved["basket"]]
        for history in (desk.messages, desk.model.inputs[1]):
            calls = [c for m in history if isinstance(m, AIMessage) for c in m.tool_calls]
            assert [each["args"] for each in calls] == [approved]
        assert [record.action.args for record in desk.ledger.records("t")] == [approved]

    def test_is_not_run_again_after_a_crash(self) -> None:
        ran, desk = self.ordering("Tidak jelas.", "Halo.", cut=True)
        with pytest.raises(PowerCut):
            desk.decide(APPROVE)

        assert desk.say("Halo").answer == "Halo."

        assert ran == [{"items": ["a book"]}]
        assert statuses(desk) == ["unknown"]
        assert_well_formed(desk.messages)


def test_an_action_that_finished_keeps_its_result_when_its_neighbour_crashes() -> None:
    bank, paid_first = Bank(cut="before"), threading.Event()

    @tool
    def donate(amount: int) -> str:
        """Give money away."""
        paid_first.set()
        return f"Donated {amount}"

    @tool
    def pay(amount: int) -> str:
        """Transfer money."""
        paid_first.wait(timeout=5)
        time.sleep(0.05)
        return str(bank.pay.invoke({"amount": amount}))

    desk = Desk(
        asks_for(call("donate", "d1", amount=5), payment()),
        "Satu jelas, satu tidak.",
        tools=[donate, pay],
        gated=["donate", "pay"],
    )
    desk.say("Bayar dua")
    with pytest.raises(PowerCut):
        desk.decide(APPROVE, APPROVE)

    desk.decide(APPROVE, APPROVE)

    assert [result.text for result in results_of(desk.messages)] == [
        "Donated 5",
        OUTCOME_UNKNOWN_MESSAGE,
    ]
    assert_well_formed(desk.messages)


class TestAnswerThatFailsAfterAnAction:
    def test_b84_the_action_is_done_and_not_done_again(self) -> None:
        bank = Bank()
        desk = desk_of(bank, asks_for(payment()), PROVIDER_DOWN, "Halo.")
        desk.say("Bayar")

        with pytest.raises(ModelCallError):
            desk.decide(APPROVE)
        with pytest.raises(NoPendingReviewError):
            desk.decide(APPROVE)

        assert desk.say("Halo").answer == "Halo."
        assert bank.paid == [100]
        assert_well_formed(desk.messages)

    def test_the_same_message_again_gets_the_answer_that_was_missing(self) -> None:
        bank = Bank()
        desk = desk_of(bank, asks_for(payment()), PROVIDER_DOWN, "Dibayar.")
        desk.say("Bayar")
        with pytest.raises(ModelCallError):
            desk.decide(APPROVE)

        assert desk.say("Bayar").answer == "Dibayar."

        assert bank.paid == [100]
        assert texts_of_user(desk.messages) == ["Bayar"]
        assert_well_formed(desk.messages)

    def test_a_new_wish_needs_a_new_approval(self) -> None:
        bank = Bank()
        desk = desk_of(
            bank, asks_for(payment(call_id="p1")), PROVIDER_DOWN, asks_for(payment(call_id="p2"))
        )
        desk.say("Bayar")
        with pytest.raises(ModelCallError):
            desk.decide(APPROVE)

        turn = desk.say("Bayar lagi")

        assert turn.pending_review is not None
        assert bank.paid == [100]
        with pytest.raises(ReviewPendingError):
            desk.say("Cepat")


def test_a_tool_is_repeatable_only_when_it_says_so() -> None:
    pay = Bank().pay
    pay.metadata = {"team": "finance"}

    assert not is_repeatable(pay)
    assert not is_repeatable(None)
    assert is_repeatable(repeatable(pay))
    assert pay.metadata["team"] == "finance"


class TestAnActionThatPausesItself:
    def test_goes_on_when_what_it_asked_for_is_decided(self) -> None:
        office, ledger = Office(), InMemoryActionLedger()
        clerk = SubagentSpec(
            "clerk", "Sends.", "You send.", [office.send_email], None, {"send_email"}
        )
        model = ScriptedChatModel(script=[asks_for(email_to("alice@example.com")), "Terkirim."])
        delegate = build_subagent_tool(clerk, model, ledger=ledger)
        desk = Desk(
            asks_for(call("clerk", "d1", query="Kirim")),
            "Sudah.",
            tools=[delegate],
            gated={"clerk"},
            ledger=ledger,
        )

        asked = desk.say("Kirim").pending_review, desk.decide(APPROVE).pending_review
        answer = desk.decide(APPROVE).answer

        assert [a["action_requests"][0]["name"] for a in asked if a] == ["clerk", "send_email"]
        assert answer == "Sudah."
        assert office.sent == ["alice@example.com"]
        assert {r.status for r in ledger.records("t")} == {ActionStatus.SUCCEEDED}
