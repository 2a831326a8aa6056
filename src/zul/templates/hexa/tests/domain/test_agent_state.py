from collections.abc import Sequence
from typing import cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.graph.message import Messages

from src.domain.entities.agents.react.react import AgentState, add_messages_in_call_order
from tests.application.scenario import asks_for, email_to, weather_in

QUESTION = HumanMessage("Payung?", id="h1")


def result(call_id: str, text: str = "ok") -> ToolMessage:
    return ToolMessage(text, tool_call_id=call_id, id=f"result of {call_id}")


def merge(left: Sequence[BaseMessage], right: Sequence[BaseMessage]) -> list[BaseMessage]:
    merged = add_messages_in_call_order(cast("Messages", left), cast("Messages", right))
    return cast("list[BaseMessage]", merged)


def ids(messages: Sequence[BaseMessage]) -> list[str | None]:
    return [message.id for message in messages]


def test_agents_share_messages_and_the_steps_that_are_left() -> None:
    assert set(AgentState.__annotations__) == {"messages", "remaining_steps"}


def test_results_stand_in_the_order_of_their_calls_however_they_arrive() -> None:
    asked = asks_for(weather_in("Bandung", "first"), email_to("budi@example.com", "second"))
    asked.id = "a1"

    merged = merge([QUESTION, asked, result("second")], [result("first")])

    assert ids(merged) == ["h1", "a1", "result of first", "result of second"]


def test_a_result_of_an_unknown_call_stands_behind_the_others() -> None:
    asked = asks_for(weather_in("Bandung", "first"))
    asked.id = "a1"

    merged = merge([QUESTION, asked], [result("stray"), result("first")])

    assert ids(merged) == ["h1", "a1", "result of first", "result of stray"]


def test_results_of_earlier_rounds_stay_where_they_are() -> None:
    first, second = asks_for(weather_in("Bandung", "w1")), asks_for(weather_in("Medan", "w2"))
    first.id, second.id = "a1", "a2"

    merged = merge(
        [QUESTION, first, result("w1"), second], [result("w2"), AIMessage("Cerah.", id="a3")]
    )

    assert ids(merged) == ["h1", "a1", "result of w1", "a2", "result of w2", "a3"]


def test_a_message_with_a_known_id_replaces_the_earlier_one() -> None:
    merged = merge([QUESTION], [HumanMessage("Jas hujan?", id="h1")])

    assert [message.text for message in merged] == ["Jas hujan?"]


def test_results_alone_are_left_as_they_are() -> None:
    merged = merge([], [result("b"), result("a")])

    assert ids(merged) == ["result of b", "result of a"]
