"""What holds for every history and every tool: no exception, valid arguments, an end."""

import time
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.tools import StructuredTool
from pydantic import BaseModel, create_model

from src.infrastructure.AI.llm.demo import DemoChatModel
from src.infrastructure.AI.llm.demo.text import MAX_READ_CHARACTERS
from tests.infrastructure.llm.test_demo_model_support import OFFICE, Dialogue

PIECES = """
cuaca di Jakarta dan , kirim email ke a@b.co isi 'hai' : ? lalu hasilnya nama saya siapa kalau
lagi the weather in Paris what about my city 2 + 3,5 1.000 USD { } [ " \u201c = title batal
\u202e \u0645\u0631 jangan 2025-01-01 jam 10 - ya halo http://x.io/a @ '' _ ada
"""
WORDS = st.lists(st.sampled_from([*PIECES.split(), "\x00", "\ud800", "\n"]), max_size=14).map(
    " ".join
)
TEXTS = WORDS | st.text(max_size=60)
NAMES = st.sampled_from(
    ["to", "city", "query", "title", "body", "amount", "when", "email", "kota", "isi", "id", "x"]
)
TYPES: list[Any] = [
    str, int, float, bool, list[str], list[int], dict[str, int], str | None, int | str,
    Literal["low", "high"], Literal[1, 2], list[Literal["a", "b"]], Any,
]  # fmt: skip
BLOCKS = st.one_of(
    TEXTS,
    st.lists(
        st.one_of(
            TEXTS,
            st.builds(lambda t: {"type": "text", "text": t}, TEXTS),
            st.just({"type": "image_url", "image_url": {"url": "data:"}}),
            st.just({"type": "json", "json": {"a": [1]}}),
        ),
        max_size=3,
    ),
)
CALLS = st.lists(
    st.builds(
        lambda name, args, number: {"name": name, "args": args, "id": f"c{number}"},
        st.sampled_from(["get_weather", "send_email", "nope", ""]),
        st.dictionaries(
            st.sampled_from(["location", "to", "x"]), st.none() | TEXTS | st.integers()
        ),
        st.integers(0, 3),
    ),
    max_size=3,
)
MESSAGES = st.one_of(
    st.builds(HumanMessage, BLOCKS),
    st.builds(lambda c, t: AIMessage(c, tool_calls=t), BLOCKS, CALLS),
    st.builds(
        lambda c, n, s: ToolMessage(c, tool_call_id=f"c{n}", status=s),
        BLOCKS,
        st.integers(0, 3),
        st.sampled_from(["success", "error"]),
    ),
    st.builds(SystemMessage, TEXTS),
    st.builds(
        lambda c, r: ChatMessage(content=c, role=r), TEXTS, st.sampled_from(["user", "other"])
    ),
)
MODEL = DemoChatModel().bind_tools(OFFICE)


@settings(max_examples=300, deadline=None)
@given(st.lists(MESSAGES, min_size=1, max_size=8))
def test_no_history_makes_it_fail(messages: list[BaseMessage]) -> None:
    answer = MODEL.invoke(messages)
    assert bool(answer.text) != bool(answer.tool_calls)
    answer.text.encode()
    assert answer == MODEL.invoke(messages).model_copy(update={"id": answer.id})


@st.composite
def tools(draw: st.DrawFn) -> StructuredTool:
    fields: dict[str, Any] = {}
    for name in draw(st.lists(NAMES, max_size=4, unique=True)):
        kind = draw(st.sampled_from(TYPES))
        fields[name] = (kind, ... if draw(st.booleans()) else draw(st.sampled_from([None, "x"])))
    if draw(st.booleans()):
        nested = create_model("Nested", city=(str, ...), count=(int, 1))
        fields["nested"] = (nested, ...)
    schema: type[BaseModel] = create_model("Arguments", **fields)
    name = draw(st.sampled_from(["send_email", "get_weather", "do_it", "search", "create_ticket"]))
    return StructuredTool(
        name=name, description=draw(TEXTS) or "-", args_schema=schema, func=lambda **kwargs: kwargs
    )


@settings(max_examples=300, deadline=None)
@given(st.lists(tools(), min_size=1, max_size=3, unique_by=lambda t: t.name), TEXTS, st.booleans())
def test_calls_fit_the_schema_or_it_asks(
    bound: list[StructuredTool], text: str, forced: bool
) -> None:
    choice = "any" if forced else None
    answer = DemoChatModel().bind_tools(bound, tool_choice=choice).invoke([HumanMessage(text)])
    by_name = {tool.name: tool for tool in bound}
    for call in answer.tool_calls:
        schema = by_name[call["name"]].args_schema
        assert isinstance(schema, type)
        assert issubclass(schema, BaseModel)
        schema.model_validate(call["args"], strict=True)
    assert answer.tool_calls or answer.text


@settings(max_examples=150, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=4), st.sampled_from(["", "no", "Error: x"]))
def test_every_turn_comes_to_an_end(texts: list[str], error: str) -> None:
    talk = Dialogue(OFFICE)
    for text in texts:
        assert talk.say(text, error=error).text


LONG = 100_000
ODD_TEXTS = [
    *("a", "a b ", "cuaca, ", "'", '"', "\u201c", "a@", "a.b.", "1+", "1.000,", "{", "[1,", "di "),
    *(
        "nama saya ",
        "kirim email: cuaca di Jakarta, ",
        "http://",
        "x=1, ",
        "add 1 ",
        "\u202e\u0645",
    ),
    *("'a ", "kota saya ", "dari ke "),
]


def fastest(text: str) -> float:
    """Return the processor time of the best of some runs; each run reads a text it has not seen."""
    runs = []
    for number in range(4):
        started = time.process_time()
        MODEL.invoke(f"{number} {text}")
        runs.append(time.process_time() - started)
    return min(runs)


@pytest.mark.parametrize("piece", ODD_TEXTS)
def test_long_texts_do_not_take_quadratic_time(piece: str) -> None:
    # Ten times as much is read of the long text: a linear pass takes 10 times as long, a quadratic
    # one 100 times.
    small, large = (piece * (length // len(piece)) for length in (MAX_READ_CHARACTERS // 10, LONG))
    MODEL.invoke("warm up")
    assert fastest(large) < 40 * max(fastest(small), 0.001)


def test_a_long_conversation_stays_usable() -> None:
    messages: list[BaseMessage] = []
    for number in range(500):
        messages += [HumanMessage(f"cuaca di Kota{number}?"), AIMessage("cerah")]
    messages.append(HumanMessage("cuaca di Solo?"))
    assert MODEL.invoke(messages).tool_calls[0]["args"] == {"location": "Solo"}
