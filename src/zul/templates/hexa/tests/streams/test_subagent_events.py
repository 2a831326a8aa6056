"""Subagents that work at the same time, as streams and recorded steps tell it."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.react.react import Agent
from src.application.AI.agents.subagents.subagents import (
    SubagentSpec,
    build_subagent_tool,
    build_supervisor_agent,
)
from src.application.turns import Turns
from src.interface.http.streams.events import Event
from src.interface.http.streams.translator import EventTranslator
from src.interface.steps import StepRecorder
from tests.fakes.scripted_model import Messages, ScriptedChatModel

APPROVE = {"type": "approve"}


@tool
def get_weather(query: str) -> str:
    """Look up the weather."""
    return f"Sunny in {query}"


@tool
def send_email(query: str) -> str:
    """Send an e-mail."""
    return f"Sent to {query}"


def as_asked(messages: Messages) -> AIMessage | str:
    """Call what the task names (``tool:query & tool:query``), all at once; then sum up.

    Ids of calls repeat between conversations, as those of some models do.
    """
    task = next(m.text for m in reversed(messages) if isinstance(m, HumanMessage))
    if isinstance(messages[-1], ToolMessage):
        return f"Done: {task}"
    calls = [part.split(":", 1) for part in task.split(" & ")]
    return AIMessage(
        "",
        tool_calls=[
            tool_call(name=name, args={"query": query}, id=f"call-{place}")
            for place, (name, query) in enumerate(calls)
        ],
    )


@pytest.fixture
def supervisor() -> Agent:
    return build_supervisor_agent(
        ScriptedChatModel(script=[as_asked] * 20),
        [
            SubagentSpec(
                "office", "Mail.", "Office.", [send_email], tools_requiring_approval=["send_email"]
            ),
            SubagentSpec("forecaster", "Weather.", "You know the weather.", [get_weather]),
        ],
        checkpointer=InMemorySaver(),
    )


class Audience:
    """Follows the turns of one conversation."""

    def __init__(self, agent: Agent) -> None:
        self._turns = Turns(agent)

    def send(self, message: str) -> list[dict[str, Any]]:
        events: list[Event] = []
        self._turns.send(message, "t", self._turns.watched(EventTranslator(events.append)))
        return [event.model_dump() for event in events]

    def approve(self, count: int) -> list[dict[str, Any]]:
        events: list[Event] = []
        watched = self._turns.watched(EventTranslator(events.append))
        self._turns.review([APPROVE] * count, "t", run=watched)
        return [event.model_dump() for event in events]


def only(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


def test_calls_to_one_subagent_at_once_are_told_apart(supervisor: Agent) -> None:
    events = Audience(supervisor).send("forecaster:get_weather:Ende & forecaster:get_weather:Bima")

    assert {e["agent"] for e in events if e["depth"]} == {"forecaster"}
    assert all(e["parent_tool_call_id"] is None for e in events if not e["depth"])
    for call_id, place in (("call-0", "Ende"), ("call-1", "Bima")):
        inner = [e for e in events if e["depth"] and e["parent_tool_call_id"] == call_id]
        assert [e["type"] for e in inner if e["type"] != "token"] == [
            "step_started", "tool_call", "step_finished",
            "step_started", "tool_result", "step_finished",
            "step_started", "step_finished",
        ]  # fmt: skip
        assert only(inner, "tool_call")[0]["args"] == {"query": place}
        assert only(inner, "tool_result")[0]["content"] == f"Sunny in {place}"
        assert "".join(e["text"] for e in only(inner, "token")) == f"Done: get_weather:{place}"


def test_same_ids_in_subagents_of_subagents_are_told_apart() -> None:
    model = ScriptedChatModel(script=[as_asked] * 20)
    forecaster = build_subagent_tool(
        SubagentSpec("forecaster", "Weather.", "You know the weather.", [get_weather]), model
    )
    desk = SubagentSpec("desk", "Asks others.", "You ask others.", [forecaster])
    agent = build_supervisor_agent(model, [desk], checkpointer=InMemorySaver())

    events = Audience(agent).send(
        "desk:forecaster:get_weather:Ende & desk:forecaster:get_weather:Bima"
    )

    steps = {step["step_id"]: step for step in only(events, "step_started")}
    inner = [call for call in only(events, "tool_call") if call["depth"] == 2]
    assert {(c["id"], c["parent_tool_call_id"]) for c in inner} == {("call-0", "call-0")}
    for call in inner:
        opener = steps[call["parent_step_id"]]
        place = {"call-0": "Ende", "call-1": "Bima"}[opener["parent_tool_call_id"]]
        assert call["args"] == {"query": place}
        assert steps[opener["parent_step_id"]]["parent_step_id"] is None


def test_what_was_over_before_a_review_is_not_told_again(supervisor: Agent) -> None:
    audience = Audience(supervisor)

    asked = audience.send("office:send_email:ana & forecaster:get_weather:Ende")
    decided = audience.approve(1)

    over = {step["step_id"] for step in only(asked, "step_finished") if not step["paused"]}
    started = [step["step_id"] for step in only(decided, "step_started")]
    assert over.isdisjoint(started)
    assert sorted(started) == sorted(step["step_id"] for step in only(decided, "step_finished"))
    told = sorted(call["name"] for call in only(asked + decided, "tool_call"))
    answered = sorted(result["name"] for result in only(asked + decided, "tool_result"))
    assert told == answered == ["forecaster", "get_weather", "office", "send_email"]


def test_nor_is_it_recorded_as_a_step_again(supervisor: Agent) -> None:
    turns = Turns(supervisor)
    recorder = StepRecorder(supervisor)

    turns.send("office:send_email:ana & forecaster:get_weather:Ende", "t", recorder.run)
    turns.review([APPROVE], "t", run=recorder.run)

    results = [e.name for s in recorder.steps for e in s.events if e.type == "tool_result"]
    assert sorted(str(name) for name in results) == [
        "forecaster",
        "get_weather",
        "office",
        "send_email",
    ]
