"""What LangChain expects of a chat model: binding, streaming, ids, usage, stop words."""

from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
)
from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from src.infrastructure.AI.llm.demo import DemoChatModel
from tests.infrastructure.llm.test_demo_model_support import (
    OFFICE,
    Dialogue,
    add,
    ask,
    get_weather,
    send_email,
)

TWO_WISHES = "cuaca di Paris dan kirim email ke a@b.co isi 'Jam 10, ya'"


def streamed(text: str, tools: Sequence[BaseTool]) -> list[AIMessageChunk]:
    model = DemoChatModel().bind_tools(tools)
    return [chunk for chunk in model.stream(text) if isinstance(chunk, AIMessageChunk)]


def joined(chunks: Sequence[AIMessageChunk]) -> AIMessageChunk:
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    return whole


@pytest.mark.parametrize("text", ["halo", "what can you do?", TWO_WISHES, "cuaca?", ""])
def test_streaming_and_invoking_give_the_same_message(text: str) -> None:
    chunks = streamed(text, OFFICE)
    whole, invoked = joined(chunks), ask([HumanMessage(text)], OFFICE)
    assert whole.content == invoked.content
    assert whole.tool_calls == invoked.tool_calls
    assert whole.usage_metadata == invoked.usage_metadata
    assert whole.response_metadata == invoked.response_metadata
    assert [chunk.chunk_position for chunk in chunks].count("last") == 1
    assert chunks[-1].chunk_position == "last"


def test_text_comes_word_by_word_and_calls_in_pieces() -> None:
    words = [chunk.text for chunk in streamed("halo", OFFICE) if chunk.text]
    assert words[0] == "Halo!"
    assert len(words) > 10
    pieces = [piece for chunk in streamed(TWO_WISHES, OFFICE) for piece in chunk.tool_call_chunks]
    assert [piece["index"] for piece in pieces] == [0, 0, 1, 1]
    assert [piece["name"] for piece in pieces] == ["get_weather", None, "send_email", None]


def test_callbacks_hear_every_word() -> None:
    class Listener(BaseCallbackHandler):
        def __init__(self) -> None:
            self.heard = ""

        def on_llm_new_token(self, token: Any, **kwargs: Any) -> None:
            self.heard += str(token)

    listener = Listener()
    chunks = DemoChatModel().stream("halo", config={"callbacks": [listener]})
    assert "".join(chunk.text for chunk in chunks) == listener.heard != ""


def test_a_delay_changes_nothing_but_the_pace() -> None:
    slow = DemoChatModel(delay_seconds=0.0001)
    words = [chunk.text for chunk in slow.stream("batal")]
    assert "".join(words) == DemoChatModel().invoke("batal").text
    with pytest.raises(ValueError, match="delay_seconds"):
        DemoChatModel(delay_seconds=-1)


def test_the_same_history_gives_the_same_answer() -> None:
    first, second = Dialogue(OFFICE), Dialogue(OFFICE)
    for text in ("nama saya Budi", TWO_WISHES, "siapa nama saya?", "kalau di Solo?"):
        assert first.say(text) == second.say(text)
    ids = [[m.tool_calls for m in d.messages if isinstance(m, AIMessage)] for d in (first, second)]
    assert ids[0] == ids[1]


def test_ids_differ_within_and_between_turns() -> None:
    talk = Dialogue(OFFICE)
    for _ in range(4):
        talk.say("cuaca di Paris dan Solo")
    ids = [c["id"] for m in talk.messages if isinstance(m, AIMessage) for c in m.tool_calls]
    assert len(ids) == len(set(ids)) == 8
    assert all(str(call_id).startswith("call_") for call_id in ids)


def test_system_messages_change_nothing() -> None:
    question = HumanMessage("cuaca di Paris?")
    plain = ask([question], OFFICE)
    prompted = ask([SystemMessage("Kirim email ke a@b.co. You speak English."), question], OFFICE)
    assert prompted.tool_calls == plain.tool_calls


def test_tools_may_be_functions_classes_and_schemas() -> None:
    def look_up_weather(city: str) -> str:
        """Weather of a city."""
        return city

    class FindOrder(BaseModel):
        """Find an order."""

        order_id: str = Field(description="The number of the order")

    schema = {
        "name": "play_music",
        "description": "Play a song.",
        "parameters": {
            "type": "object",
            "properties": {"song": {"type": "string"}},
            "required": ["song"],
        },
    }
    model = DemoChatModel().bind_tools([look_up_weather, FindOrder, schema])
    wished = {
        "cuaca di Solo": ("look_up_weather", {"city": "Solo"}),
        "find order A-12": ("FindOrder", {"order_id": "A-12"}),
        "play music song='Imagine'": ("play_music", {"song": "Imagine"}),
    }
    for text, expected in wished.items():
        calls = model.invoke(text).tool_calls
        assert [(call["name"], call["args"]) for call in calls] == [expected]


@pytest.mark.parametrize(
    ("choice", "text", "names"),
    [
        ("none", "cuaca di Solo", []),
        ("add", "2 dan 3", ["add"]),
        ("any", "ke a@b.co isi 'hai'", ["send_email"]),
        ("required", "cuaca di Solo", ["get_weather"]),
        ("auto", "cuaca di Solo", ["get_weather"]),
        (True, "cuaca di Solo", ["get_weather"]),
        ({"type": "function", "function": {"name": "add"}}, "2 dan 3", ["add"]),
    ],
)
def test_tool_choice(choice: Any, text: str, names: list[str]) -> None:
    answer = ask([HumanMessage(text)], [get_weather, send_email, add], tool_choice=choice)
    assert [call["name"] for call in answer.tool_calls] == names


def test_without_parallel_calls_they_come_one_after_another() -> None:
    messages: list[BaseMessage] = [HumanMessage(TWO_WISHES)]
    answer = ask(messages, OFFICE, parallel_tool_calls=False)
    assert [call["name"] for call in answer.tool_calls] == ["get_weather"]
    messages += [answer, get_weather.invoke(answer.tool_calls[0])]
    answer = ask(messages, OFFICE, parallel_tool_calls=False)
    assert [call["name"] for call in answer.tool_calls] == ["send_email"]


def test_structured_output() -> None:
    class Ticket(BaseModel):
        """A support ticket."""

        title: str
        priority: int

    model = DemoChatModel().with_structured_output(Ticket)
    assert model.invoke("title: Login rusak, priority: 2") == Ticket(
        title="Login rusak", priority=2
    )


def test_stop_words_end_the_text() -> None:
    text = DemoChatModel().invoke("halo").text
    stopped = DemoChatModel().invoke("halo", stop=["demo", "zzz"]).text
    assert stopped == text.partition("demo")[0]
    chunks = [chunk.text for chunk in DemoChatModel().stream("halo", stop=["demo"])]
    assert "".join(chunks) == stopped


def test_usage_grows_with_the_text() -> None:
    short, long = (DemoChatModel().invoke(text).usage_metadata for text in ("halo", "halo " * 50))
    assert short is not None
    assert long is not None
    assert 0 < short["input_tokens"] < long["input_tokens"]
    assert short["total_tokens"] == short["input_tokens"] + short["output_tokens"]
