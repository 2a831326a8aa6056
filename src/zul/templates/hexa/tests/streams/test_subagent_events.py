"""Subagents that work at the same time, as streams and recorded steps tell it."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.react.react import Agent
from src.application.AI.agents.subagents.subagents import SubagentSpec, build_supervisor_agent
from src.application.turns import Turns
from src.interface.http.streams.events import Event
from src.interface.http.streams.translator import EventTranslator
from tests.fakes.scripted_model import Messages, ScriptedChatModel


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
