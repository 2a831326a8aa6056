"""A new release between pause and decision, or between crash and the end of the turn.

Whatever it changed, nothing runs that nobody approved, what was rejected stays rejected, and the
conversation goes on.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import BaseMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.approval import ToolsRequiringApproval
from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.human_in_the_loop.nodes.human_in_the_loop_nodes import NO_DECISION
from src.application.AI.agents.subagents.subagents import SubagentSpec, build_supervisor_agent
from src.application.AI.agents.tool_node import NOT_APPROVED_MESSAGE, OUTCOME_UNKNOWN_MESSAGE
from src.application.errors import ModelCallError
from src.application.ports.in_memory import InMemoryActionLedger, InMemoryReviewLog
from src.application.usecases.reviewed_chat import ChatTurn, ReviewedChatUseCase
from tests.application.scenario import (
    APPROVE,
    REJECT,
    Office,
    asks_for,
    assert_well_formed,
    call,
    email_to,
    on,
    results_of,
    weather_in,
)
from tests.fakes.scripted_model import ScriptedChatModel

GATED = ["send_email"]


class PowerCut(BaseException):
    """The process dies here."""


class Releases:
    """One store and one model, and releases of the agent over them. The thread is ``t``."""

    def __init__(self, *replies: Any) -> None:
        self.office = Office()
        self.model = ScriptedChatModel(script=list(replies))
        self.ledger = InMemoryActionLedger()
        self._reviews = InMemoryReviewLog()
        self._saver = InMemorySaver()
        self.deploy(self.office.tools, GATED)

    def deploy(self, tools: Sequence[BaseTool], gated: ToolsRequiringApproval) -> None:
        self._use(
            build_human_in_the_loop_agent(self.model, tools, gated, self._saver, ledger=self.ledger)
        )

    def deploy_supervisor(self, tools: Sequence[BaseTool], gated: ToolsRequiringApproval) -> None:
        helper = SubagentSpec("helper", "Helps.", "Help.", tools, tools_requiring_approval=gated)
        self._use(
            build_supervisor_agent(
                self.model, [helper], checkpointer=self._saver, ledger=self.ledger
            )
        )

    def _use(self, agent: Any) -> None:
        self.agent = agent
        self._usecase = ReviewedChatUseCase(agent, reviews=self._reviews)

    def say(self, message: str) -> ChatTurn:
        return self._usecase.send_message(message, "t")

    def decide(self, *decisions: Any) -> ChatTurn:
        return self._usecase.submit_review(list(decisions), "t")

    @property
    def messages(self) -> list[BaseMessage]:
        return list(self.agent.get_state(on("t")).values["messages"])

    @property
    def results(self) -> list[str]:
        return [result.text for result in results_of(self.messages)]

    def assert_goes_on(self) -> None:
        self.model.script.append("Halo juga.")
        assert self.say("Halo").answer == "Halo juga."
        assert_well_formed(self.messages)


class TestBetweenPauseAndDecision:
    def test_a_tool_that_is_gone_does_not_run_and_the_model_is_told(self) -> None:
        releases = Releases(asks_for(email_to("alice")), "Tidak bisa.")
        releases.say("Kirim")

        releases.deploy([releases.office.get_weather], [])

        assert releases.decide(APPROVE).answer == "Tidak bisa."
        assert releases.office.sent == []
        assert "not a valid tool" in releases.results[0]
        releases.assert_goes_on()

    def test_a_renamed_tool_does_not_run_under_its_old_name(self) -> None:
        releases = Releases(asks_for(email_to("alice")), "Tidak bisa.")
        releases.say("Kirim")
        renamed = releases.office.send_email
        renamed.name = "send_mail"

        releases.deploy([renamed], ["send_mail"])

        assert releases.decide(APPROVE).answer == "Tidak bisa."
        assert releases.office.sent == []
        releases.assert_goes_on()

    def test_arguments_that_do_not_fit_any_more_do_not_run(self) -> None:
        @tool
        def send_email(recipient: str) -> str:
            """Send an email."""
            raise AssertionError

        releases = Releases(asks_for(email_to("alice")), "Tidak bisa.")
        releases.say("Kirim")

        releases.deploy([send_email], GATED)

        assert releases.decide(APPROVE).answer == "Tidak bisa."
        assert "recipient" in releases.results[0]
        assert [record.status for record in releases.ledger.records("t")] == ["failed"]
        releases.assert_goes_on()

    @pytest.mark.parametrize("email_first", [True, False])
    def test_a_call_that_needs_approval_since_then_was_not_approved(
        self, email_first: bool
    ) -> None:
        email, weather = email_to("alice"), weather_in("Medan")
        calls = [email, weather] if email_first else [weather, email]
        releases = Releases(asks_for(*calls), "Terkirim.")
        releases.say("Kirim, dan cuaca")

        releases.deploy(releases.office.tools, ["send_email", "get_weather"])

        assert releases.decide(APPROVE).answer == "Terkirim."
        assert releases.office.sent == ["alice"]
        assert releases.office.looked_up == []
        assert NO_DECISION["message"] in releases.results
        releases.assert_goes_on()

    def test_a_rejected_call_does_not_run_though_it_needs_no_approval_any_more(self) -> None:
        releases = Releases(asks_for(email_to("alice")), "Baik.")
        releases.say("Kirim")

        releases.deploy(releases.office.tools, [])

        assert releases.decide(REJECT).answer == "Baik."
        assert releases.office.sent == []
        releases.assert_goes_on()

    def test_each_decision_stays_with_its_call_when_others_need_none_any_more(self) -> None:
        calls = [call("send_email", f"c{n}", to=to) for n, to in enumerate(["a", "b", "c"])]
        releases = Releases(asks_for(*calls), "Baik.")
        releases.say("Kirim tiga")

        releases.deploy(releases.office.tools, {"send_email": lambda args: args["to"] == "c"})

        assert releases.decide(REJECT, APPROVE, REJECT).answer == "Baik."
        assert releases.office.sent == ["b"]
        releases.assert_goes_on()

    def test_equal_calls_keep_the_order_of_their_decisions(self) -> None:
        calls = [email_to("alice", "c1"), email_to("alice", "c2")]
        releases = Releases(asks_for(weather_in("Medan"), *calls), "Satu kali.")
        releases.say("Kirim dua kali")

        releases.deploy(releases.office.tools, ["send_email", "get_weather"])

        assert releases.decide(REJECT, APPROVE).answer == "Satu kali."
        assert releases.office.sent == ["alice"]
        assert releases.results[1].startswith("User rejected")
        releases.assert_goes_on()

    def test_the_same_holds_inside_a_subagent(self) -> None:
        releases = Releases(
            asks_for(call("helper", "h1", query="kirim")),
            asks_for(weather_in("Medan"), email_to("alice")),
            "Sudah.",
            "Terkirim.",
        )
        releases.deploy_supervisor(releases.office.tools, GATED)
        releases.say("Minta tolong")

        releases.deploy_supervisor(releases.office.tools, ["get_weather"])

        assert releases.decide(REJECT).answer == "Terkirim."
        assert releases.office.sent == []
        assert releases.office.looked_up == []
        releases.assert_goes_on()


class TestBetweenCrashAndEnd:
    def crashed(self, *calls: Any) -> Releases:
        """The process died in the weather tool, before anything else of the turn had run."""
        releases = Releases(asks_for(*calls))

        @tool
        def get_weather(location: str) -> str:
            """Get the weather of a city."""
            raise PowerCut

        releases.deploy([get_weather, releases.office.send_email], GATED)
        return releases

    def test_a_call_that_needs_approval_since_then_does_not_run(self) -> None:
        releases = self.crashed(weather_in("Medan"))
        with pytest.raises(PowerCut):
            releases.say("Cuaca")

        releases.deploy(releases.office.tools, ["send_email", "get_weather"])
        releases.model.script.append("Tidak bisa.")

        assert releases.say("Cuaca").answer == "Tidak bisa."
        assert releases.office.looked_up == []
        assert releases.results == [NOT_APPROVED_MESSAGE]
        releases.assert_goes_on()

    def test_an_approved_call_still_counts_as_approved(self) -> None:
        releases = self.crashed(weather_in("Medan"), email_to("alice"))
        releases.say("Cuaca, lalu kirim")
        with pytest.raises(PowerCut):
            releases.decide(APPROVE)

        releases.deploy(releases.office.tools, GATED)
        releases.model.script.append("Beres.")

        assert releases.decide(APPROVE).answer == "Beres."
        assert len(releases.office.sent) <= 1
        assert releases.office.looked_up == ["Medan"]
        releases.assert_goes_on()

    def test_the_unknown_outcome_of_a_tool_that_is_gone_is_reported(self) -> None:
        @tool
        def send_email(to: str) -> str:
            """Send an email."""
            raise PowerCut

        releases = Releases(asks_for(email_to("alice")), "Tidak jelas.")
        releases.deploy([send_email], GATED)
        releases.say("Kirim")
        with pytest.raises(PowerCut):
            releases.decide(APPROVE)

        releases.deploy([releases.office.get_weather], [])

        assert releases.decide(APPROVE).answer == "Tidak jelas."
        assert releases.results == [OUTCOME_UNKNOWN_MESSAGE]
        assert [record.status for record in releases.ledger.records("t")] == ["unknown"]
        releases.assert_goes_on()

    def test_a_model_that_is_down_meanwhile_loses_nothing(self) -> None:
        releases = Releases(asks_for(email_to("alice")), ConnectionError("no route"))
        releases.say("Kirim")
        with pytest.raises(ModelCallError):
            releases.decide(APPROVE)

        releases.deploy([releases.office.get_weather], [])
        releases.model.script.append("Sudah terkirim.")

        assert releases.say("Kirim").answer == "Sudah terkirim."
        assert releases.office.sent == ["alice"]
        releases.assert_goes_on()
