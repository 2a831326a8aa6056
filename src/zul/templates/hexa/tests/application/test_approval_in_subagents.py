"""A person approves what a subagent wants to do, through whoever talks to the supervisor."""

import random
import time
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.subagents.subagents import SubagentSpec, build_supervisor_agent
from src.application.errors import ReviewRequiredError, ServiceError
from src.application.ports.in_memory import (
    InMemoryActionLedger,
    InMemoryConversationLock,
    InMemoryReviewLog,
)
from src.application.usecases.chat import ChatUseCase
from src.application.usecases.reviewed_chat import ChatTurn, ReviewedChatUseCase
from src.domain.exceptions import (
    InvalidReviewDecisionError,
    NoPendingReviewError,
    ReviewPendingError,
    StaleReviewError,
)
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
    on,
    results_of,
    says,
    weather_in,
)
from tests.fakes.scripted_model import ScriptedChatModel


class PowerCut(BaseException):
    """The process dies here."""


def task_for(subagent: str, query: str, call_id: str) -> Any:
    return call(subagent, call_id, query=query)


def reports(messages: list[BaseMessage]) -> AIMessage:
    """A subagent that sends one email to whom its task names, and reports the result."""
    last = messages[-1]
    if last.type == "tool":
        return AIMessage(f"Laporan: {last.text}")
    return asks_for(email_to(last.text, f"mail_{last.text}"))


class Team:
    """A supervisor with a clerk, who needs approval to send, and a forecaster, who needs none."""

    def __init__(self, *replies: Any, tools: list[BaseTool] | None = None) -> None:
        self.office = Office()
        self.model = ScriptedChatModel(script=list(replies))
        self.clerk = ScriptedChatModel(script=[reports] * 20)
        self.forecaster = ScriptedChatModel(script=[asks_for(weather_in("Bandung")), "Cerah."])
        self.ledger = InMemoryActionLedger()
        self.reviews = InMemoryReviewLog()
        self.agent = build_supervisor_agent(
            self.model,
            [
                SubagentSpec(
                    "clerk",
                    "Sends emails.",
                    "You send.",
                    [self.office.send_email] if tools is None else tools,
                    self.clerk,
                    tools_requiring_approval={"send_email"},
                ),
                SubagentSpec(
                    "forecaster",
                    "Knows the weather.",
                    "You forecast.",
                    [self.office.get_weather],
                    self.forecaster,
                ),
            ],
            checkpointer=InMemorySaver(),
            ledger=self.ledger,
        )
        shared: dict[str, Any] = {"lock": InMemoryConversationLock(), "reviews": self.reviews}
        self.chat = ChatUseCase(self.agent, **shared)
        self.reviewed = ReviewedChatUseCase(self.agent, **shared)

    def say(self, message: str) -> ChatTurn:
        return self.reviewed.send_message(message, "t")

    def decide(self, *decisions: Any, review_id: str | None = None) -> ChatTurn:
        return self.reviewed.submit_review(list(decisions), "t", review_id=review_id)

    @property
    def messages(self) -> list[BaseMessage]:
        return list(self.agent.get_state(on("t")).values["messages"])

    @property
    def reported(self) -> list[str]:
        return [result.text for result in results_of(self.messages)]


def addresses(turn: ChatTurn) -> list[str]:
    assert turn.pending_review is not None
    return [action["args"]["to"] for action in turn.pending_review["action_requests"]]


class TestOneSubagent:
    def test_b38_a_pause_reaches_whoever_sent_the_message(self) -> None:
        team = Team(asks_for(task_for("clerk", "alice", "d1")))

        with pytest.raises(ReviewRequiredError) as pause:
            team.chat.execute("Kirim", "t")

        assert pause.value.pending_review == {
            "action_requests": [
                {
                    "name": "send_email",
                    "args": {"to": "alice"},
                    "description": "Tool `send_email` menunggu persetujuan",
                }
            ],
            "review_configs": [
                {"action_name": "send_email", "allowed_decisions": ["approve", "edit", "reject"]}
            ],
        }
        assert team.office.sent == []

    @pytest.mark.parametrize(
        ("decision", "sent", "report"),
        [
            (APPROVE, ["alice"], "Laporan: Sent to alice"),
            (edit_to("send_email", to="budi"), ["budi"], "Laporan: Sent to budi"),
            (REJECT, [], "Laporan: User rejected this action. It was not executed."),
        ],
        ids=["approve", "edit", "reject"],
    )
    def test_b41_every_kind_of_decision_reaches_it(
        self, decision: dict[str, Any], sent: list[str], report: str
    ) -> None:
        team = Team(asks_for(task_for("clerk", "alice", "d1")), "Selesai.")
        team.say("Kirim")

        turn = team.decide(decision)

        assert turn == ChatTurn(answer="Selesai.")
        assert team.office.sent == sent
        assert team.reported == [report]
        assert_well_formed(team.messages)

    def test_b41_an_edit_shows_in_its_own_history(self) -> None:
        team = Team(asks_for(task_for("clerk", "alice", "d1")), "Selesai.")
        team.say("Kirim")

        team.decide(edit_to("send_email", to="budi"))

        _, _, asked, result = team.clerk.inputs[1]
        assert isinstance(asked, AIMessage)
        assert asked.tool_calls == [email_to("budi", "mail_alice")]
        assert result.text == "Sent to budi"

    def test_it_is_asked_once_before_and_once_after_the_pause(self) -> None:
        team = Team(asks_for(task_for("clerk", "alice", "d1")), "Selesai.")
        team.say("Kirim")
        team.decide(APPROVE)

        assert len(team.clerk.inputs) == 2
        assert len(team.model.inputs) == 2
        assert [record.status for record in team.ledger.records("t")] == ["succeeded"]

    def test_it_may_pause_again_for_its_next_action(self) -> None:
        team = Team(asks_for(task_for("clerk", "alice", "d1")), "Dua terkirim.")
        team.clerk.script[:] = [
            asks_for(email_to("alice", "c1")),
            asks_for(email_to("budi", "c2")),
            "Terkirim.",
        ]
        first = team.say("Kirim dua")

        second = team.decide(APPROVE)
        last = team.decide(APPROVE)

        assert (addresses(first), addresses(second)) == (["alice"], ["budi"])
        assert first.review_id != second.review_id
        assert last.answer == "Dua terkirim."
        assert team.office.sent == ["alice", "budi"]

    def test_a_new_message_is_refused_while_it_waits(self) -> None:
        team = Team(asks_for(task_for("clerk", "alice", "d1")), "Selesai.")
        team.say("Kirim")

        with pytest.raises(ReviewPendingError):
            team.chat.execute("Batal", "t")

        assert team.decide(REJECT).answer == "Selesai."

    def test_a_double_click_sends_once(self) -> None:
        team = Team(asks_for(task_for("clerk", "alice", "d1")), "Selesai.")
        team.say("Kirim")

        outcomes = AllAtOnce(lambda: team.decide(APPROVE), lambda: team.decide(APPROVE)).outcomes

        assert team.office.sent == ["alice"]
        assert {type(outcome) for outcome in outcomes} == {ChatTurn, NoPendingReviewError}


class TestTwoSubagentsAtOnce:
    @pytest.mark.parametrize("attempt", range(5))
    def test_b40_their_pauses_are_one_list_in_the_order_of_the_supervisors_calls(
        self, attempt: int
    ) -> None:
        def slowly(messages: list[BaseMessage]) -> AIMessage:
            time.sleep(random.random() * 0.02)  # noqa: S311 - no secret
            return reports(messages)

        people = ["alice", "budi", "citra"]
        tasks = [task_for("clerk", person, f"d{n}") for n, person in enumerate(people)]
        team = Team(asks_for(*tasks), "Selesai.")
        team.clerk.script[:] = [slowly] * 6

        assert addresses(team.say("Kirim tiga")) == people

    def test_b40_each_decision_reaches_its_own_subagent(self) -> None:
        people = ["alice", "budi", "citra"]
        tasks = [task_for("clerk", person, f"d{n}") for n, person in enumerate(people)]
        team = Team(asks_for(*tasks), "Selesai.")
        turn = team.say("Kirim tiga")

        end = team.decide(
            REJECT, APPROVE, edit_to("send_email", to="dewi"), review_id=turn.review_id
        )

        assert end.answer == "Selesai."
        assert sorted(team.office.sent) == ["budi", "dewi"]
        assert team.reported == [
            "Laporan: User rejected this action. It was not executed.",
            "Laporan: Sent to budi",
            "Laporan: Sent to dewi",
        ]
        assert_well_formed(team.messages)

    def test_a_refused_review_changes_nothing(self) -> None:
        tasks = [task_for("clerk", person, person) for person in ("alice", "budi")]
        team = Team(asks_for(*tasks), "Selesai.")
        turn = team.say("Kirim dua")

        with pytest.raises(InvalidReviewDecisionError, match="Butuh 2 keputusan"):
            team.decide(APPROVE)
        with pytest.raises(StaleReviewError):
            team.decide(APPROVE, APPROVE, review_id="another")

        assert team.decide(REJECT, REJECT, review_id=turn.review_id).answer == "Selesai."
        assert team.office.sent == []

    def test_a_subagent_that_needs_no_approval_runs_once_beside_one_that_waits(self) -> None:
        team = Team(
            asks_for(task_for("forecaster", "Bandung?", "d1"), task_for("clerk", "alice", "d2")),
            "Selesai.",
        )

        turn = team.say("Cuaca dan email")
        team.decide(APPROVE)

        assert addresses(turn) == ["alice"]
        assert team.office.looked_up == ["Bandung"]
        assert len(team.forecaster.inputs) == 2
        assert team.reported == ["Cerah.", "Laporan: Sent to alice"]


class TestFailures:
    def test_a_power_cut_after_the_approval_sends_no_second_email(self) -> None:
        sent: list[str] = []

        @tool
        def send_email(to: str) -> str:
            """Send an email."""
            sent.append(to)
            raise PowerCut

        team = Team(asks_for(task_for("clerk", "alice", "d1")), "Tidak jelas.", tools=[send_email])
        team.say("Kirim")
        with pytest.raises(PowerCut):
            team.decide(APPROVE)

        turn = team.decide(APPROVE)

        assert turn.answer == "Tidak jelas."
        assert sent == ["alice"]
        assert "outcome of this action is unknown" in team.reported[0]

    def test_a_tool_that_raises_after_the_approval_leaves_a_conversation_that_goes_on(self) -> None:
        sent: list[str] = []

        @tool
        def send_email(to: str) -> str:
            """Send an email."""
            sent.append(to)
            raise ValueError("smtp is down")

        team = Team(asks_for(task_for("clerk", "alice", "d1")), "Halo.", tools=[send_email])
        team.say("Kirim")
        with pytest.raises(ServiceError):
            team.decide(APPROVE)

        assert team.say("Hai").answer == "Halo."
        assert sent == ["alice"]
        assert_well_formed(team.messages)

    def test_a_model_that_fails_after_the_approval_sends_no_second_email(self) -> None:
        team = Team(asks_for(task_for("clerk", "alice", "d1")), "Halo.")
        team.clerk.script[:] = [asks_for(email_to("alice")), RuntimeError("429"), "Terkirim."]
        team.say("Kirim")
        with pytest.raises(ServiceError):
            team.decide(APPROVE)

        team.say("Kirim")

        assert team.office.sent == ["alice"]
        assert_well_formed(team.messages)


class TestWithoutAUseCase:
    def test_a_pause_is_in_the_result_of_the_graph(self) -> None:
        team = Team(asks_for(task_for("clerk", "alice", "d1")))

        result = team.agent.invoke(says("Kirim"), on("t"))

        [interrupt] = result["__interrupt__"]
        assert interrupt.value["action_requests"][0]["args"] == {"to": "alice"}
