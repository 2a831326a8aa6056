"""The guard around a scripted model: what passes unchanged, and what happens once."""

import threading
import time
from contextvars import ContextVar
from typing import Any

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult, LLMResult
from langchain_core.tools import tool
from pydantic import BaseModel

from src.application.errors import ModelCallError, ModelTimeoutError
from src.infrastructure.AI.llm.guard import GuardedChatModel
from tests.fakes.scripted_model import ScriptedChatModel

_REPLY = AIMessage(
    "Cuaca cerah.",
    id="message-1",
    usage_metadata={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
    response_metadata={"model_name": "scripted-1", "finish_reason": "stop"},
)


@tool
def get_weather(location: str) -> str:
    """Get the weather."""
    return location


class _Recorder(BaseCallbackHandler):
    def __init__(self) -> None:
        self.events: list[str] = []

    def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:
        self.events.append("start")

    def on_llm_new_token(self, token: Any, **kwargs: Any) -> None:
        self.events.append(f"token {token}")

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        self.events.append("end")

    def on_llm_error(self, error: BaseException, **kwargs: Any) -> None:
        self.events.append(f"error {type(error).__name__}")


class _WholeRepliesModel(BaseChatModel):
    """A model that cannot stream."""

    @property
    def _llm_type(self) -> str:
        return "whole"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        made = {"name": "get_weather", "args": {"location": "Bali"}, "id": "c1"}
        message = AIMessage("whole", tool_calls=[{**made, "type": "tool_call"}])
        return ChatResult(generations=[ChatGeneration(message=message)], llm_output={"k": "v"})


def _guard(*script: Any, seconds: float = 30, **fields: Any) -> GuardedChatModel:
    inner = ScriptedChatModel(script=list(script))
    return GuardedChatModel(inner=inner, total_timeout_seconds=seconds, **fields)


def test_a_reply_passes_unchanged() -> None:
    assert _guard(_REPLY).invoke("hi") == ScriptedChatModel(script=[_REPLY]).invoke("hi")


def test_chunks_pass_unchanged() -> None:
    made = {"name": "get_weather", "args": {"location": "Bali"}, "id": "c1", "type": "tool_call"}
    reply = _REPLY.model_copy(update={"tool_calls": [made]})
    plain = list(ScriptedChatModel(script=[reply]).stream("hi"))
    assert list(_guard(reply).stream("hi")) == plain


def test_callbacks_are_called_once() -> None:
    recorder = _Recorder()
    _guard("one two").invoke("hi", {"callbacks": [recorder]})
    assert recorder.events == ["start", "end"]

    recorder = _Recorder()
    list(_guard("one two").stream("hi", {"callbacks": [recorder]}))
    assert recorder.events == ["start", "token one ", "token two", "token ", "end"]

    recorder = _Recorder()
    with pytest.raises(ModelCallError):
        _guard(ValueError("x")).invoke("hi", {"callbacks": [recorder]})
    assert recorder.events == ["start", "error ModelCallError"]


def test_a_cached_reply_is_not_asked_for_again() -> None:
    guard = _guard("first", "second", cache=InMemoryCache())
    assert [guard.invoke("hi").content, guard.invoke("hi").content] == ["first", "first"]


def test_the_cache_tells_bound_tools_apart() -> None:
    guard = _guard("bare", "with tools", cache=InMemoryCache())
    assert guard.invoke("hi").content == "bare"
    assert guard.bind_tools([get_weather]).invoke("hi").content == "with tools"


def test_bound_tools_reach_every_model() -> None:
    inner, other = ScriptedChatModel(script=[ValueError()]), ScriptedChatModel(script=["ok"])
    guard = GuardedChatModel(inner=inner, fallbacks=(other,), total_timeout_seconds=30)
    assert guard.bind_tools([get_weather], tool_choice="any").invoke("hi").content == "ok"
    assert inner.bound_tool_names == other.bound_tool_names == ["get_weather"]


def test_structured_output_goes_through_the_guard() -> None:
    class City(BaseModel):
        name: str

    made = {"name": "City", "args": {"name": "Solo"}, "id": "c1", "type": "tool_call"}
    guard = _guard(AIMessage("", tool_calls=[made]), ValueError("x"))
    asked = guard.with_structured_output(City)
    assert asked.invoke("hi") == City(name="Solo")
    with pytest.raises(ModelCallError):
        asked.invoke("hi")


def test_a_model_that_cannot_stream_gives_its_reply_in_one_chunk() -> None:
    guard = GuardedChatModel(inner=_WholeRepliesModel(), total_timeout_seconds=30)
    first, *rest = guard.stream("hi")
    whole = first + rest
    assert (whole.text, whole.tool_calls[0]["args"]) == ("whole", {"location": "Bali"})
    assert whole.response_metadata["k"] == "v"


def test_a_model_without_an_asynchronous_client_is_left_behind_in_time() -> None:
    release = threading.Event()
    guard = _guard(lambda _: release.wait(20) and "late", seconds=0.3)
    start = time.monotonic()
    with pytest.raises(ModelTimeoutError):
        guard.invoke("hi")
    release.set()
    assert time.monotonic() - start < 10


def test_the_callers_context_reaches_the_model() -> None:
    who = ContextVar("who", default="nobody")
    who.set("me")
    assert _guard(lambda _: who.get()).invoke("hi").content == "me"


def test_the_guard_looks_like_the_model_inside() -> None:
    guard, inner = _guard(), ScriptedChatModel(script=[])
    assert guard._llm_type == inner._llm_type
    assert guard._get_ls_params() == inner._get_ls_params()
    assert guard.asdict() == inner.asdict()


def test_many_threads_share_one_guard() -> None:
    guard = _guard(*["ok"] * 100, seconds=20)
    assert [message.content for message in guard.batch(["hi"] * 100)] == ["ok"] * 100
