"""What agents get when a server fails: which error, after how long, and after how many requests."""

import logging
import os
import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from langchain_core.language_models import BaseChatModel

from src.application.errors import ModelCallError, ModelTimeoutError
from src.infrastructure.AI.llm import get_llm_model
from tests.support.openai_server import (
    Answer,
    Drip,
    Drop,
    Failure,
    HangUp,
    OpenAIServer,
    RecordedRequest,
    Stall,
    Step,
    says,
)

_SHORT_SECONDS = 0.5
_SOON_SECONDS = 15
"""Well beyond the short limit, for busy machines, and well below what the slow servers take."""

_KEY = "sk-test-123"
_REPLY = says("one two three four five six")

_SLOW: list[Step] = [Stall(), Drip(_REPLY, 0.05), Drip(_REPLY, 0.05, drips_head=True)]


@pytest.fixture(params=["invoke", "stream"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    monkeypatch.setenv("LLM_MODEL", "first")
    monkeypatch.setenv("LLM_TIMEOUT_SECONDS", "30")


@pytest.fixture
def short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_TIMEOUT_SECONDS", str(_SHORT_SECONDS))


def _model(server: OpenAIServer) -> BaseChatModel:
    os.environ["LLM_BASE_URL"] = server.base_url
    return get_llm_model()


def _ask(server: OpenAIServer, way: str = "invoke") -> str:
    model = _model(server)
    with _soon():
        if way == "invoke":
            return model.invoke("hi").text
        return "".join(chunk.text for chunk in model.stream("hi"))


@contextmanager
def _soon() -> Iterator[None]:
    start = time.monotonic()
    try:
        yield
    finally:
        assert time.monotonic() - start < _SOON_SECONDS


@pytest.mark.usefixtures("short_limit")
@pytest.mark.parametrize("step", _SLOW, ids=["stall", "drip", "dripping head"])
def test_no_reply_takes_longer_than_allowed(step: Step, way: str) -> None:
    with OpenAIServer([step]) as server:
        with pytest.raises(ModelTimeoutError):
            _ask(server, way)
        # Giving up ends the connection, so nothing is left behind that still waits.
        assert server.requests[0].disconnected.wait(_SOON_SECONDS)
        assert len(server.requests) == 1


def test_a_thread_that_waits_does_not_hold_up_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_TIMEOUT_SECONDS", "10")
    with OpenAIServer([Stall(), *[says("ok")] * 20]) as server:
        model = _model(server)
        with ThreadPoolExecutor(21) as pool:
            stalled = pool.submit(model.invoke, "hi")
            while not server.requests:
                time.sleep(0.01)
            assert [m.content for m in pool.map(model.invoke, ["hi"] * 20)] == ["ok"] * 20
            assert not stalled.done()
            server.closing.set()
            assert isinstance(stalled.exception(), ModelCallError)


def test_a_reader_that_leaves_early_ends_the_request() -> None:
    # Far too long to be over before a busy machine has left.
    with OpenAIServer([Drip(says("word " * 5_000), 0.001)]) as server:
        chunks = _model(server).stream("hi")
        next(chunks)
        assert isinstance(chunks, Generator)
        chunks.close()
        assert server.requests[0].disconnected.wait(_SOON_SECONDS)


@pytest.mark.parametrize("failure", [Failure(429), Failure(500), Failure(503), HangUp()])
def test_a_passing_failure_is_tried_again(failure: Step, way: str) -> None:
    with OpenAIServer([failure, says("ok")]) as server:
        assert _ask(server, way) == "ok"
    assert len(server.requests) == 2


def test_retries_end_after_the_number_allowed(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    monkeypatch.setenv("LLM_MAX_RETRIES", "1")
    with OpenAIServer([Failure(503)] * 5) as server, pytest.raises(ModelCallError):
        _ask(server, way)
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_repeated(status: int, way: str) -> None:
    with OpenAIServer([Failure(status), says("ok")]) as server, pytest.raises(ModelCallError):
        _ask(server, way)
    assert len(server.requests) == 1


def test_a_used_up_quota_is_not_tried_again(way: str) -> None:
    body = '{"error": {"message": "quota", "code": "insufficient_quota"}}'
    with OpenAIServer([Failure(429, body), says("ok")]) as server, pytest.raises(ModelCallError):
        _ask(server, way)
    assert len(server.requests) == 1


def test_retry_after_is_respected(way: str) -> None:
    with OpenAIServer([Failure(429, headers={"Retry-After": "0.9"}), says("ok")]) as server:
        start = time.monotonic()
        assert _ask(server, way) == "ok"
    assert time.monotonic() - start >= 0.9


def test_a_wait_beyond_the_limit_is_reported_at_once(way: str) -> None:
    failure = Failure(429, headers={"Retry-After": "60"})
    with OpenAIServer([failure, says("ok")]) as server, pytest.raises(ModelCallError) as raised:
        _ask(server, way)
    assert raised.value.retry_after_seconds == 60
    assert not isinstance(raised.value, ModelTimeoutError)
    assert len(server.requests) == 1


def test_a_stream_that_breaks_off_is_an_error_and_not_repeated() -> None:
    received: list[str] = []
    with OpenAIServer([Drop(_REPLY, after_events=3), says("ok")]) as server:
        chunks = _model(server).stream("hi")
        with pytest.raises(ModelCallError):
            received.extend(chunk.text for chunk in chunks)
    assert len(server.requests) == 1


def test_a_body_that_breaks_off_is_asked_for_again() -> None:
    with OpenAIServer([Drop(_REPLY), says("ok")]) as server:
        assert _ask(server) == "ok"


@pytest.mark.parametrize(
    "body", ["<html>busy</html>", '{"choices": null}', '{"choices": []}', '{"error": "no"}', "[]"]
)
def test_a_body_that_is_no_completion_is_an_error(
    body: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_MAX_RETRIES", "1")
    with OpenAIServer([Failure(200, body)] * 2) as server, pytest.raises(ModelCallError):
        _ask(server, way)


def test_nobody_listening_is_an_error_soon(way: str) -> None:
    with OpenAIServer() as server:
        pass
    with pytest.raises(ModelCallError):
        _ask(server, way)


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500])
def test_neither_error_nor_log_repeats_what_the_provider_said(
    status: int, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with OpenAIServer([Failure(status)] * 3) as server, pytest.raises(ModelCallError) as raised:
        _ask(server, way)
    shown = str(raised.value) + repr(raised.value) + caplog.text
    assert _KEY not in shown
    assert "scripted failure" not in shown


def _by_model(**steps: Step) -> list[Answer]:
    def answer(request: RecordedRequest) -> Step:
        return steps[request.body["model"]]

    return [answer] * 20


def _asked(server: OpenAIServer) -> list[str]:
    return [request.body["model"] for request in server.requests]


@pytest.mark.parametrize("failure", [Failure(401), Failure(404)])
def test_fallbacks_are_asked_in_order(
    failure: Step, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_FALLBACK_MODELS", "second,third")
    script = _by_model(first=failure, second=Failure(400), third=says("third here"))
    with OpenAIServer(script) as server:
        assert _ask(server, way) == "third here"
    assert _asked(server) == ["first", "second", "third"]


@pytest.mark.parametrize("slow", _SLOW)
def test_a_stalled_model_leaves_time_for_its_fallback(
    slow: Step, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_TIMEOUT_SECONDS", "4")
    monkeypatch.setenv("LLM_FALLBACK_MODELS", "second")
    with OpenAIServer(_by_model(first=slow, second=says("second here"))) as server:
        assert _ask(server, way) == "second here"
    assert _asked(server) == ["first", "second"]


def test_without_an_answer_the_last_failure_is_reported_in_time(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_TIMEOUT_SECONDS", "1.5")
    monkeypatch.setenv("LLM_FALLBACK_MODELS", "second")
    script = _by_model(first=Failure(401), second=Stall())
    with OpenAIServer(script) as server, pytest.raises(ModelTimeoutError):
        _ask(server, way)
    assert _asked(server) == ["first", "second"]


def test_a_stream_that_began_does_not_move_to_a_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_FALLBACK_MODELS", "second")
    script = _by_model(first=Drop(_REPLY, after_events=3), second=says("second here"))
    with OpenAIServer(script) as server, pytest.raises(ModelCallError):
        _ask(server, "stream")
    assert _asked(server) == ["first"]


def test_requests_keep_the_rate_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_REQUESTS_PER_SECOND", "20.5")
    with OpenAIServer([says("ok")] * 9) as server:
        models = [_model(server) for _ in range(3)]
        start = time.monotonic()
        with ThreadPoolExecutor(9) as pool:
            list(pool.map(lambda number: models[number % 3].invoke("hi"), range(9)))
    assert time.monotonic() - start >= 8 / 20.5


def test_a_turn_that_comes_too_late_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_REQUESTS_PER_SECOND", "0.01")
    with OpenAIServer([says("ok")] * 2) as server:
        assert _ask(server) == "ok"
        with pytest.raises(ModelCallError) as raised:
            _ask(server)
    assert 60 < (raised.value.retry_after_seconds or 0) <= 100
    assert len(server.requests) == 1
