"""What agents get when a server speaks OpenAI's protocol, and when it nearly does."""

import asyncio
import json
import os
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph

from src.infrastructure.AI.llm import get_llm_model
from src.infrastructure.AI.tools.weather_tool import get_weather
from tests.support.openai_server import (
    BrainServer,
    Completion,
    OpenAIServer,
    Step,
    call,
    calls,
    demo_brain,
    says,
)

_BROKEN = '{"location": "Par'
_DOUBLE_ENCODED = json.dumps(json.dumps({"location": "Rome"}))


@pytest.fixture(params=["invoke", "stream"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_MODEL", "scripted")
    monkeypatch.setenv("LLM_TIMEOUT_SECONDS", "30")


def _ask(server: OpenAIServer, way: str, messages: Any = "hi") -> AIMessage:
    os.environ["LLM_BASE_URL"] = server.base_url
    model = get_llm_model().bind_tools([get_weather])
    if way == "invoke":
        return model.invoke(messages)
    first, *rest = [chunk for chunk in model.stream(messages) if isinstance(chunk, AIMessageChunk)]
    return first + rest


def _reply(step: Step, way: str) -> AIMessage:
    with OpenAIServer([step]) as server:
        return _ask(server, way)


def _valid(message: AIMessage) -> list[tuple[str, dict[str, Any], str | None]]:
    return [(made["name"], made["args"], made["id"]) for made in message.tool_calls]


def test_text(way: str) -> None:
    message = _reply(says("Halo, apa kabar?"), way)
    assert message.content == "Halo, apa kabar?"
    assert message.response_metadata["finish_reason"] == "stop"
    assert message.id


def test_a_tool_call(way: str) -> None:
    message = _reply(calls(call("get_weather", {"location": "Paris"})), way)
    assert _valid(message) == [("get_weather", {"location": "Paris"}, "call_1")]
    assert message.invalid_tool_calls == []


def test_several_tool_calls_keep_their_order(way: str) -> None:
    step = calls(
        call("get_weather", {"location": "Paris"}, "a"),
        call("get_weather", {"location": "Tokyo"}, "b"),
    )
    assert [made["id"] for made in _reply(step, way).tool_calls] == ["a", "b"]


def test_usage_is_passed_on() -> None:
    usage = _reply(says("hi"), "invoke").usage_metadata
    assert usage is not None
    assert usage["total_tokens"] == 18


def test_messages_and_tools_arrive_at_the_server(way: str) -> None:
    made = {"name": "get_weather", "args": {"location": "Paris"}, "id": "c1", "type": "tool_call"}
    history = [
        HumanMessage("Cuaca Paris?"),
        AIMessage("", tool_calls=[made]),
        ToolMessage("16°C", tool_call_id="c1"),
    ]
    with OpenAIServer([says("16°C")]) as server:
        _ask(server, way, history)
    (request,) = server.requests
    assert [message["role"] for message in request.messages] == ["user", "assistant", "tool"]
    assert request.messages[2]["tool_call_id"] == "c1"
    assert [tool["function"]["name"] for tool in request.tools] == ["get_weather"]
    assert request.streams == (way == "stream")
    assert request.headers["authorization"] == "Bearer not-needed"


@pytest.mark.parametrize("arguments", ["", None, "{}"])
def test_empty_and_missing_arguments_mean_none(arguments: str | None, way: str) -> None:
    message = _reply(calls(call("get_weather", arguments)), way)
    assert _valid(message) == [("get_weather", {}, "call_1")]
    assert message.invalid_tool_calls == []


@pytest.mark.parametrize(
    "arguments",
    [_BROKEN, _DOUBLE_ENCODED, "[1]", "3", "null", '"x"', "{", '{"a": "\\', "not json", '{"a": [1'],
)
def test_arguments_that_are_no_object_make_an_invalid_call(arguments: str, way: str) -> None:
    message = _reply(calls(call("get_weather", arguments)), way)
    assert message.tool_calls == []
    (invalid,) = message.invalid_tool_calls
    assert (invalid["name"], invalid["id"]) == ("get_weather", "call_1")
    assert (invalid["args"] or "").startswith(arguments)


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize("arguments", [[], [1], 3, True])
def test_so_do_arguments_sent_as_another_value(arguments: object, way: str) -> None:
    made = call("get_weather")
    made["function"]["arguments"] = arguments
    message = _reply(Completion(tool_calls=[made]), way)
    assert message.tool_calls == []
    (invalid,) = message.invalid_tool_calls
    assert (invalid["args"] or "").startswith(json.dumps(arguments))


def test_so_do_arguments_nested_too_deeply_to_be_read(way: str) -> None:
    deep = '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"
    message = _reply(calls(call("get_weather", deep)), way)
    assert message.tool_calls == []
    assert [invalid["id"] for invalid in message.invalid_tool_calls] == ["call_1"]


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_arguments_sent_as_an_object_are_understood(way: str) -> None:
    made = call("get_weather")
    made["function"]["arguments"] = {"location": "Paris"}
    message = _reply(Completion(tool_calls=[made]), way)
    assert _valid(message) == [("get_weather", {"location": "Paris"}, "call_1")]


def test_a_good_call_beside_a_broken_one_is_kept(way: str) -> None:
    step = calls(
        call("get_weather", _BROKEN, "bad"), call("get_weather", {"location": "Tokyo"}, "good")
    )
    message = _reply(step, way)
    assert _valid(message) == [("get_weather", {"location": "Tokyo"}, "good")]
    assert [invalid["id"] for invalid in message.invalid_tool_calls] == ["bad"]


def test_missing_and_duplicate_ids_are_passed_on(way: str) -> None:
    places = [{"location": "Paris"}, {"location": "Tokyo"}]
    nameless = _reply(calls(*(call("get_weather", place, None) for place in places)), way)
    assert [made["args"] for made in nameless.tool_calls] == places
    alike = _reply(calls(*(call("get_weather", place, "same") for place in places)), way)
    assert [made["args"] for made in alike.tool_calls] == places


def test_streamed_calls_without_an_index_are_not_lost() -> None:
    made = [
        call("get_weather", {"location": "Paris"}, "a"),
        call("get_weather", _BROKEN, "b"),
    ]
    message = _reply(Completion(tool_calls=made, has_indexes=False), "stream")
    assert _valid(message) == [("get_weather", {"location": "Paris"}, "a")]
    assert [invalid["id"] for invalid in message.invalid_tool_calls] == ["b"]


def test_an_empty_reply_is_passed_on(way: str) -> None:
    assert _reply(says(""), way).content == ""
    assert _reply(says(None), way).content == ""


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_content_may_be_a_list(way: str) -> None:
    blocks = [{"type": "text", "text": "Sunny"}, {"type": "text", "text": " today"}]
    assert _reply(says(blocks), way).text == "Sunny today"


def test_an_unknown_finish_reason_is_passed_on(way: str) -> None:
    message = _reply(Completion(content="hi", finish_reason="odd"), way)
    assert message.response_metadata["finish_reason"] == "odd"


def test_a_graph_streams_tokens_and_keeps_the_whole_message() -> None:
    with OpenAIServer([says("one two three")]) as server:
        os.environ["LLM_BASE_URL"] = server.base_url
        model = get_llm_model()

        def talk(state: MessagesState) -> dict[str, Any]:
            return {"messages": [model.invoke(state["messages"])]}

        graph = StateGraph(MessagesState).add_node("talk", talk).add_edge(START, "talk").compile()
        parts = list(
            graph.stream({"messages": [HumanMessage("hi")]}, stream_mode=["messages", "values"])
        )
    tokens = [message.text for message in _messages(parts)]
    assert [token for token in tokens if token] == ["one ", "two ", "three"]
    final: Any = [part for mode, part in parts if mode == "values"][-1]
    assert final["messages"][-1].content == "one two three"
    assert server.requests[0].streams


def _messages(parts: list[Any]) -> list[AIMessageChunk]:
    return [part[0] for mode, part in parts if mode == "messages"]


async def _collect(server: OpenAIServer) -> tuple[AIMessage, str]:
    os.environ["LLM_BASE_URL"] = server.base_url
    model = get_llm_model()
    whole = await model.ainvoke("hi")
    return whole, "".join([chunk.text async for chunk in model.astream("hi")])


def test_the_asynchronous_methods_work_too() -> None:
    with OpenAIServer([says("one two"), says("three four")]) as server:
        whole, streamed = asyncio.run(_collect(server))
    assert (whole.content, streamed) == ("one two", "three four")


def test_the_server_by_itself_tells_the_story_of_the_demo_model(way: str) -> None:
    with BrainServer(demo_brain) as server:
        wish = _ask(server, way, "Bagaimana cuaca di Bandung?")
        assert [made["name"] for made in wish.tool_calls] == ["get_weather"]
        result = ToolMessage("24°C, hujan ringan", tool_call_id=wish.tool_calls[0]["id"] or "")
        history = [HumanMessage("Bagaimana cuaca di Bandung?"), wish, result]
        assert "24°C" in _ask(server, way, history).text
