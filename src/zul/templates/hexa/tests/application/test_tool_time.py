"""A tool that hangs holds nobody up, and an approved one that does is never run again."""

import asyncio
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.types import interrupt

from src.application.actions import current_action_key, repeatable
from src.application.AI.agents.limits import Limits
from src.application.AI.agents.subagents.subagents import SubagentSpec, build_supervisor_agent
from src.application.AI.agents.tool_node import OUTCOME_UNKNOWN_MESSAGE
from src.application.errors import StoreError, ToolFailedError
from src.application.ports.action_ledger import ActionStatus
from src.application.ports.in_memory import InMemoryActionLedger
from src.application.tool_time import time_limit
from tests.application.desk import Desk
from tests.application.scenario import (
    APPROVE,
    asks_for,
    assert_well_formed,
    call,
    results_of,
    says,
)
from tests.fakes.scripted_model import ScriptedChatModel

PROJECT = Path(__file__).parents[2]
SHORT = Limits(tool_seconds=0.2)
PAYMENT = asks_for(call("pay", "p1", amount=100))


class HungBank:
    """Pays only when it is let go."""

    def __init__(self) -> None:
        self.calls = 0
        self.paid: list[int] = []
        self.failure: Exception | None = None
        self.let_go = threading.Event()

    def _pay(self, amount: int) -> str:
        self.calls += 1
        assert self.let_go.wait(timeout=30)
        if self.failure is not None:
            raise self.failure
        self.paid.append(amount)
        return f"Paid {amount}"

    @property
    def pay(self) -> BaseTool:
        return StructuredTool.from_function(self._pay, name="pay", description="Pays.")


@pytest.fixture
def bank() -> Iterator[HungBank]:
    bank = HungBank()
    yield bank
    bank.let_go.set()


def tool_of(function: Callable[..., Any], name: str = "pay") -> BaseTool:
    return StructuredTool.from_function(function, name=name, description="Pays.")


def awaited(work: Callable[..., Any]) -> BaseTool:
    return StructuredTool.from_function(coroutine=work, name="pay", description="Pays.")


def desk_of(pay: BaseTool, *replies: Any, gated: bool, ledger: Any = None) -> Desk:
    gate = ["pay"] if gated else []
    return Desk(*replies, tools=[pay], gated=gate, limits=SHORT, ledger=ledger)


def status(desk: Desk) -> ActionStatus:
    [record] = desk.ledger.records("t")
    return record.status


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def told(desk: Desk) -> ToolMessage:
    [result] = results_of(desk.messages)
    return result


class TestWithoutApproval:
    def test_the_model_is_told_which_tool_and_which_limit(self, bank: HungBank) -> None:
        desk = desk_of(bank.pay, PAYMENT, "Gagal.", gated=False)

        assert desk.say("Bayar").answer == "Gagal."

        result = told(desk)
        assert result.status == "error"
        assert "pay was not over within 0.2 seconds" in result.text
        assert_well_formed(desk.messages)

    def test_the_conversation_goes_on_while_the_tool_hangs(self, bank: HungBank) -> None:
        desk = desk_of(bank.pay, PAYMENT, "Gagal.", "Halo.", gated=False)
        desk.say("Bayar")

        assert desk.say("Halo").answer == "Halo."
        assert (bank.calls, bank.paid) == (1, [])

    def test_a_result_that_comes_late_changes_nothing(self, bank: HungBank) -> None:
        desk = desk_of(bank.pay, PAYMENT, "Gagal.", gated=False)
        desk.say("Bayar")
        before = desk.messages

        bank.let_go.set()
        wait_for(lambda: bank.paid == [100])

        assert desk.messages == before

    def test_neighbours_of_the_same_reply_keep_their_results(self, bank: HungBank) -> None:
        replies = asks_for(call("pay", "p1", amount=1), call("greet", "g1")), "Satu gagal."
        tools = [bank.pay, tool_of(lambda: "Hi", "greet")]
        desk = Desk(*replies, tools=tools, gated=[], limits=SHORT)

        assert desk.say("Bayar").answer == "Satu gagal."
        assert [result.status for result in results_of(desk.messages)] == ["error", "success"]

    def test_an_asynchronous_tool_is_cancelled(self) -> None:
        cancelled = threading.Event()

        async def pay(amount: int) -> str:
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return str(amount)

        desk = desk_of(awaited(pay), PAYMENT, "Gagal.", gated=False)

        assert desk.say("Bayar").answer == "Gagal."
        assert "0.2 seconds" in told(desk).text
        assert cancelled.wait(timeout=10)

    def test_an_asynchronous_tool_that_blocks_leaves_the_others_their_loop(self) -> None:
        let_go = threading.Event()

        async def pay(amount: int) -> str:
            let_go.wait(timeout=30)  # as a client does that is not asynchronous
            return str(amount)

        async def greet() -> str:
            await asyncio.sleep(0)
            return "Hi"

        greeting = StructuredTool.from_function(coroutine=greet, name="greet", description="Hi.")
        replies = PAYMENT, "Gagal.", asks_for(call("greet", "g1")), "Halo."
        desk = Desk(*replies, tools=[awaited(pay), greeting], gated=[], limits=SHORT)

        assert desk.say("Bayar").answer == "Gagal."
        assert desk.say("Sapa").answer == "Halo."
        let_go.set()

        assert [result.text for result in results_of(desk.messages)][1] == "Hi"


class TestWithApproval:
    def test_the_outcome_is_unknown_as_after_a_crash(self, bank: HungBank) -> None:
        desk = desk_of(bank.pay, PAYMENT, "Belum jelas.", gated=True)
        desk.say("Bayar")

        assert desk.decide(APPROVE).answer == "Belum jelas."

        assert told(desk).text == OUTCOME_UNKNOWN_MESSAGE
        assert status(desk) is ActionStatus.UNKNOWN
        assert_well_formed(desk.messages)

    @pytest.mark.parametrize("declare", [lambda tool: tool, repeatable])
    def test_it_is_not_run_again(self, bank: HungBank, declare: Callable[..., BaseTool]) -> None:
        desk = desk_of(declare(bank.pay), PAYMENT, ConnectionError(), "Halo.", gated=True)
        desk.say("Bayar")
        with pytest.raises(Exception, match="Model"):
            desk.decide(APPROVE)

        assert desk.say("Halo").answer == "Halo."
        assert bank.calls == 1

    def test_a_late_success_settles_the_ledger_and_leaves_the_conversation(
        self, bank: HungBank
    ) -> None:
        desk = desk_of(bank.pay, PAYMENT, "Belum jelas.", gated=True)
        desk.say("Bayar")
        desk.decide(APPROVE)
        before = desk.messages

        bank.let_go.set()
        wait_for(lambda: status(desk) is ActionStatus.SUCCEEDED)

        [record] = desk.ledger.records("t")
        assert record.outcome is not None
        assert record.outcome.content == "Paid 100"
        assert bank.paid == [100]
        assert desk.messages == before

    def test_a_late_failure_settles_the_ledger(self, bank: HungBank) -> None:
        desk = desk_of(bank.pay, PAYMENT, "Belum jelas.", gated=True)
        desk.say("Bayar")
        desk.decide(APPROVE)

        bank.failure = ValueError("no money")
        bank.let_go.set()
        wait_for(lambda: status(desk) is ActionStatus.FAILED)

    def test_a_late_outcome_of_an_erased_conversation_leaves_no_trace(self, bank: HungBank) -> None:
        desk = desk_of(bank.pay, PAYMENT, "Belum jelas.", gated=True)
        desk.say("Bayar")
        desk.decide(APPROVE)
        desk.ledger.erase("t")

        bank.let_go.set()
        wait_for(lambda: bank.paid == [100])
        time.sleep(0.05)

        assert desk.ledger.records("t") == []

    def test_a_late_outcome_that_cannot_be_noted_is_logged(
        self, bank: HungBank, caplog: pytest.LogCaptureFixture
    ) -> None:
        class Broken(InMemoryActionLedger):
            def record(self, *_: Any) -> None:
                raise StoreError

        desk = desk_of(bank.pay, PAYMENT, "Belum jelas.", gated=True, ledger=Broken())
        desk.say("Bayar")
        with caplog.at_level(logging.ERROR):
            desk.decide(APPROVE)
            bank.let_go.set()
            wait_for(lambda: "The late outcome" in caplog.text)

        assert status(desk) is ActionStatus.UNKNOWN

    def test_an_asynchronous_action_that_was_cancelled_stays_unknown(self) -> None:
        async def pay(amount: int) -> str:
            await asyncio.sleep(30)
            return str(amount)

        desk = desk_of(awaited(pay), PAYMENT, "Belum jelas.", gated=True)
        desk.say("Bayar")
        desk.decide(APPROVE)
        time.sleep(0.1)

        assert told(desk).text == OUTCOME_UNKNOWN_MESSAGE
        assert status(desk) is ActionStatus.UNKNOWN


class TestWithinTheLimit:
    def test_a_tool_sees_its_action_and_the_callers_context(self) -> None:
        who: ContextVar[str] = ContextVar("who", default="nobody")
        seen: list[tuple[str | None, str]] = []

        def pay(amount: int) -> str:
            seen.append((current_action_key(), who.get()))
            return str(amount)

        desk = desk_of(tool_of(pay), PAYMENT, "Dibayar.", gated=True)
        desk.say("Bayar")
        who.set("alice")
        desk.decide(APPROVE)

        [record] = desk.ledger.records("t")
        assert seen == [(record.action.key, "alice")]

    def test_a_tool_may_pause_for_a_person(self) -> None:
        def pay(amount: int) -> str:
            action = {"name": "pay", "args": {"amount": amount}, "description": "?"}
            config = {"action_name": "pay", "allowed_decisions": ["approve"]}
            answer = interrupt({"action_requests": [action], "review_configs": [config]})
            return str(answer["decisions"][0]["type"])

        desk = desk_of(tool_of(pay), PAYMENT, "Dibayar.", gated=False)

        assert desk.say("Bayar").pending_review is not None
        assert desk.decide(APPROVE).answer == "Dibayar."
        assert told(desk).text == "approve"

    def test_a_time_out_of_the_tools_own_is_a_tool_that_raised(self) -> None:
        def pay(amount: int) -> str:
            raise TimeoutError(amount)

        desk = desk_of(tool_of(pay), PAYMENT, gated=True)
        desk.say("Bayar")

        with pytest.raises(ToolFailedError):
            desk.decide(APPROVE)
        assert status(desk) is ActionStatus.FAILED


class TestALimitOfItsOwn:
    def test_a_tool_may_take_longer_than_the_others(self) -> None:
        def pay(amount: int) -> str:
            time.sleep(0.4)
            return f"Paid {amount}"

        for seconds in (None, 10):
            desk = desk_of(time_limit(tool_of(pay), seconds), PAYMENT, "Dibayar.", gated=False)
            desk.say("Bayar")
            assert told(desk).text == "Paid 100"

    def test_a_tool_may_have_less_time(self, bank: HungBank) -> None:
        tools = [time_limit(bank.pay, 0.1)]
        desk = Desk(PAYMENT, "Gagal.", tools=tools, gated=[])

        desk.say("Bayar")
        assert "within 0.1 seconds" in told(desk).text

    def test_it_keeps_what_else_is_known_of_the_tool(self, bank: HungBank) -> None:
        tool = time_limit(repeatable(bank.pay), 5)

        assert tool.metadata == {"repeatable": True, "time_limit_seconds": 5}

    def test_a_subagent_has_none_but_its_tools_have(self, bank: HungBank) -> None:
        def slow(messages: Any) -> Any:
            time.sleep(0.3)
            return "Gagal."

        delegate = asks_for(call("clerk", "d1", query="Bayar"))
        clerk = SubagentSpec("clerk", "Pays.", "You pay.", [bank.pay])
        model = ScriptedChatModel(script=[delegate, PAYMENT, slow, "Sudah."])
        agent = build_supervisor_agent(model, [clerk], limits=SHORT)

        messages = agent.invoke(says("Bayar"))["messages"]

        assert messages[-1].text == "Sudah."
        assert [(r.status, r.text) for r in results_of(messages)] == [("success", "Gagal.")]
        assert "0.2 seconds" in results_of(model.inputs[2])[0].text


_ENDS_WHILE_A_TOOL_HANGS = """
import threading
from src.application.AI.agents.limits import Limits
from tests.application.desk import Desk
from tests.application.scenario import asks_for, call
from tests.application.test_tool_time import tool_of

hangs = tool_of(lambda: threading.Event().wait())
limits = Limits(tool_seconds=0.1)
desk = Desk(asks_for(call("pay", "p1")), "Ok.", tools=[hangs], gated=[], limits=limits)
print(desk.say("Bayar").answer)
"""


def test_a_tool_that_hangs_keeps_no_process_from_ending() -> None:
    ended = subprocess.run(  # noqa: S603 - this very Python
        [sys.executable, "-c", _ENDS_WHILE_A_TOOL_HANGS],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=PROJECT,
    )

    assert (ended.returncode, ended.stdout) == (0, "Ok.\n"), ended.stderr
