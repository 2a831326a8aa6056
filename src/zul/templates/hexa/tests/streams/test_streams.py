import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.react.react import build_react_agent
from src.application.AI.agents.subagents.subagents import SubagentSpec, build_supervisor_agent
from src.application.ports.in_memory import InMemoryRunLog
from src.application.ports.run_log import Run, RunEvent, run_lock
from src.application.usecases.chat import ChatUseCase
from src.application.usecases.reviewed_chat import ChatTurn, ReviewedChatUseCase
from src.domain.exceptions import ReviewPendingError
from src.interface.http.controllers import (
    chat_controller,
    hitl_controller,
    subagents_controller,
)
from src.interface.http.main import app
from src.interface.http.streams import far_runs
from src.interface.http.streams.responses import get_runs
from tests.fakes.scripted_model import Reply, ScriptedChatModel
from tests.streams.reading import Received, only, parse, types

sent: list[str] = []
gate = threading.Event()


@tool
def get_weather(location: str) -> str:
    """Look up the weather."""
    return f"Sunny in {location}"


@tool
def send_email(to: str) -> str:
    """Send an e-mail."""
    sent.append(to)
    return f"Sent to {to}"


@tool
def wait_for_gate() -> str:
    """Wait until the test says so."""
    assert gate.wait(10)
    return "open"


def calls(name: str, **args: object) -> AIMessage:
    return AIMessage("", tool_calls=[tool_call(name=name, args=args, id=f"call-{name}")])


@pytest.fixture(params=["memory", "sqlite"])
def client(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[TestClient]:
    if request.param == "sqlite":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'app.db'}")
    sent.clear()
    gate.clear()
    get_runs.cache_clear()
    with TestClient(app) as client:
        yield client
    app.dependency_overrides.clear()


def serve_chat(*script: Reply) -> None:
    agent = build_react_agent(
        ScriptedChatModel(script=list(script)),
        [get_weather, wait_for_gate],
        checkpointer=InMemorySaver(),
    )
    usecase = ChatUseCase(agent)
    app.dependency_overrides[chat_controller.get_chat_usecase] = lambda: usecase


def serve_hitl(*script: Reply) -> None:
    agent = build_human_in_the_loop_agent(
        ScriptedChatModel(script=list(script)), [send_email], ["send_email"], InMemorySaver()
    )
    usecase = ReviewedChatUseCase(agent)
    app.dependency_overrides[hitl_controller.get_reviewed_chat_usecase] = lambda: usecase


def stream(
    client: TestClient, path: str, body: dict[str, object], **headers: str
) -> list[Received]:
    response = client.post(path, json=body, headers=headers)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/event-stream")
    return parse(response.text.split("\n"))


def test_a_turn_with_a_tool_is_told_step_by_step(client: TestClient) -> None:
    serve_chat(calls("get_weather", location="Ende"), "It is sunny")

    events = stream(client, "/chat/stream", {"message": "Cuaca di Ende?", "thread_id": "t"})

    assert [event.number for event in events] == list(range(1, len(events) + 1))
    without_tokens = [kind for kind in types(events) if kind != "token"]
    assert without_tokens == [
        "run_started",
        "step_started", "tool_call", "step_finished",
        "step_started", "tool_result", "step_finished",
        "step_started", "step_finished",
        "answer",
        "done",
    ]  # fmt: skip
    assert only(events, "run_started")[0]["thread_id"] == "t"
    assert only(events, "tool_call")[0]["args"] == {"location": "Ende"}
    assert only(events, "tool_result")[0]["content"] == "Sunny in Ende"
    assert "".join(token["text"] for token in only(events, "token")) == "It is sunny"
    assert only(events, "answer") == [{"type": "answer", "answer": "It is sunny"}]


def test_a_review_is_streamed_from_pause_to_answer(client: TestClient) -> None:
    serve_hitl(calls("send_email", to="alice@example.com"), "Sudah dikirim")

    asked = stream(client, "/hitl/chat/stream", {"message": "kirim", "thread_id": "t"})
    pause = only(asked, "pending_review")[0]
    decided = stream(
        client,
        "/hitl/review/stream",
        {"thread_id": "t", "decisions": [{"type": "approve"}], "review_id": pause["review_id"]},
    )

    assert types(asked)[-2:] == ["pending_review", "done"]
    assert only(asked, "step_finished")[-1]["paused"]
    assert pause["pending_review"]["action_requests"][0]["args"] == {"to": "alice@example.com"}
    assert only(decided, "answer")[0]["answer"] == "Sudah dikirim"
    assert sent == ["alice@example.com"]


def test_tokens_and_steps_of_a_subagent_carry_its_name_and_depth(client: TestClient) -> None:
    specialist = SubagentSpec(
        "weather_agent",
        "Weather.",
        "You know the weather.",
        [get_weather],
        llm=ScriptedChatModel(script=["Cerah di Ende"]),
    )
    supervisor = build_supervisor_agent(
        ScriptedChatModel(script=[calls("weather_agent", query="Ende?"), "Katanya cerah"]),
        [specialist],
        checkpointer=InMemorySaver(),
    )
    usecase = ChatUseCase(supervisor)
    app.dependency_overrides[subagents_controller.get_subagents_chat_usecase] = lambda: usecase

    events = stream(client, "/subagents/chat/stream", {"message": "Ende?"})

    by_agent = {
        agent: "".join(t["text"] for t in only(events, "token") if t["agent"] == agent)
        for agent in (None, "weather_agent")
    }
    assert by_agent == {None: "Katanya cerah", "weather_agent": "Cerah di Ende"}
    inner = [step for step in only(events, "step_started") if step["depth"] == 1]
    assert {(step["agent"], step["node"]) for step in inner} == {("weather_agent", "llm_call")}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param("/hitl/chat/stream", {"message": "   "}, 400, id="blank message"),
        pytest.param("/hitl/chat/stream", {"message": ""}, 422, id="empty message"),
        pytest.param(
            "/hitl/review/stream",
            {"thread_id": "unknown", "decisions": [{"type": "approve"}]},
            400,
            id="nothing pending",
        ),
    ],
)
def test_what_is_refused_before_the_agent_begins_is_no_stream(
    client: TestClient, path: str, body: dict[str, object], status: int
) -> None:
    serve_hitl()

    response = client.post(path, json=body)

    assert response.status_code == status
    assert "detail" in response.json()


def test_a_failure_on_the_way_is_told_without_its_text(client: TestClient) -> None:
    serve_chat(calls("get_weather", location="Ende"), RuntimeError("sk-secret-123456"))

    events = stream(client, "/chat/stream", {"message": "Cuaca?", "thread_id": "t"})

    assert types(events)[-2:] == ["error", "done"]
    assert only(events, "error")[0]["code"] == "llm_unavailable"
    assert "sk-secret" not in json.dumps([event.data for event in events])


def test_the_same_key_gets_the_same_run(client: TestClient) -> None:
    serve_hitl(calls("send_email", to="a@b.co"), "Sudah")
    stream(client, "/hitl/chat/stream", {"message": "kirim", "thread_id": "t"})
    decision: dict[str, object] = {"thread_id": "t", "decisions": [{"type": "approve"}]}

    first = stream(client, "/hitl/review/stream", decision, **{"Idempotency-Key": "k"})
    again = stream(client, "/hitl/review/stream", decision, **{"Idempotency-Key": "k"})
    other = client.post(
        "/hitl/review/stream",
        json={"thread_id": "t", "decisions": [{"type": "reject"}]},
        headers={"Idempotency-Key": "k"},
    )

    assert again == first
    assert other.status_code == 422
    assert sent == ["a@b.co"]


def test_a_refused_request_may_be_sent_again_under_its_key(client: TestClient) -> None:
    serve_hitl(calls("send_email", to="a@b.co"), "Sudah")
    decision: dict[str, object] = {"thread_id": "t", "decisions": [{"type": "approve"}]}
    too_early = client.post("/hitl/review/stream", json=decision, headers={"Idempotency-Key": "k"})
    stream(client, "/hitl/chat/stream", {"message": "kirim", "thread_id": "t"})

    decided = stream(client, "/hitl/review/stream", decision, **{"Idempotency-Key": "k"})

    assert too_early.status_code == 400
    assert only(decided, "answer")[0]["answer"] == "Sudah"


class RefusesOnce:
    """A use case whose first turn breaks a rule, and whose others wait for the gate."""

    def __init__(self) -> None:
        self.turns = 0

    def execute(self, message: str, thread_id: str, *, watcher: object) -> str:
        self.turns += 1
        if self.turns == 1:
            raise ReviewPendingError
        gate.wait(10)
        return "Sudah"


def test_after_a_refusal_the_key_still_starts_one_run(client: TestClient) -> None:
    usecase = RefusesOnce()
    app.dependency_overrides[chat_controller.get_chat_usecase] = lambda: usecase
    body: dict[str, object] = {"message": "halo", "thread_id": "t"}
    key = {"Idempotency-Key": "k"}
    assert client.post("/chat/stream", json=body, headers=key).status_code == 400

    with ThreadPoolExecutor(2) as clients:
        first = clients.submit(stream, client, "/chat/stream", body, **key)
        while usecase.turns < 2:
            time.sleep(0.01)
        assert chat_controller.get_chat_stores().runs.running("t") is not None
        second = clients.submit(stream, client, "/chat/stream", body, **key)
        time.sleep(0.3)
        gate.set()

    assert usecase.turns == 2
    assert first.result() == second.result()


@pytest.mark.parametrize("number", ["-1", str(2**31), "x"])
def test_a_number_that_no_event_can_have_is_refused(client: TestClient, number: str) -> None:
    response = client.get("/chat/runs/any/stream", headers={"Last-Event-ID": number})

    assert response.status_code == 422


def test_a_lost_stream_is_read_on_from_the_last_number(client: TestClient) -> None:
    serve_chat("Selamat pagi dunia")
    events = stream(client, "/chat/stream", {"message": "halo"})
    run_id = only(events, "run_started")[0]["run_id"]

    rest = client.get(f"/chat/runs/{run_id}/stream", headers={"Last-Event-ID": "3"})

    assert parse(rest.text.split("\n")) == events[3:]
    assert client.get("/chat/runs/unknown/stream").status_code == 404


def test_an_empty_number_counts_as_none(client: TestClient) -> None:
    serve_chat("Selamat pagi dunia")
    events = stream(client, "/chat/stream", {"message": "halo"})
    run_id = only(events, "run_started")[0]["run_id"]

    whole = client.get(f"/chat/runs/{run_id}/stream", headers={"Last-Event-ID": ""})

    assert parse(whole.text.split("\n")) == events


def test_a_run_goes_on_when_its_client_leaves(client: TestClient) -> None:
    serve_chat(calls("wait_for_gate"), "Selesai")
    opened = threading.Event()

    def open_the_gate() -> None:
        opened.wait(10)
        gate.set()

    threading.Thread(target=open_the_gate).start()
    # The test client hands a response over only when it is complete, so a second reader plays
    # the client that came back: it reads while the first request is still being served.
    answers: list[list[Received]] = []
    first = threading.Thread(
        target=lambda: answers.append(
            stream(client, "/chat/stream", {"message": "tunggu", "thread_id": "t"})
        )
    )
    first.start()
    opened.set()
    first.join(20)

    assert only(answers[0], "answer")[0]["answer"] == "Selesai"


def test_events_reach_the_log_while_the_run_goes_on(client: TestClient) -> None:
    serve_chat(calls("wait_for_gate"), "Selesai")
    log = chat_controller.get_chat_stores().runs
    body = {"message": "tunggu", "thread_id": "t"}
    reader = threading.Thread(target=lambda: stream(client, "/chat/stream", dict(body)))
    reader.start()

    kept: list[RunEvent] = []
    deadline = time.monotonic() + 10
    while len(kept) < 4 and time.monotonic() < deadline:
        run_id = log.running("t")
        kept = log.read(run_id, 0) if run_id else []
        time.sleep(0.02)
    gate.set()
    reader.join(20)

    assert [event.type for event in kept[:4]] == [
        "run_started",
        "step_started",
        "tool_call",
        "step_finished",
    ]


def test_a_run_of_a_process_that_died_ends_with_an_error(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(far_runs, "POLL_SECONDS", 0.01)
    log = chat_controller.get_chat_stores().runs
    log.start(Run(run_id="dead", thread_id="t", fingerprint=""))
    started = {"type": "run_started", "thread_id": "t", "run_id": "dead"}
    log.append("dead", [RunEvent(number=1, type="run_started", data=started)])

    response = client.get("/chat/runs/dead/stream")

    events = parse(response.text.split("\n"))
    assert types(events) == ["run_started", "error", "done"]
    assert [event.number for event in events] == [1, 2, 3]
    assert log.running("t") is None
    again = client.get("/chat/runs/dead/stream")
    assert parse(again.text.split("\n")) == events


def test_who_looks_for_a_dead_run_asks_for_no_conversation(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(far_runs, "POLL_SECONDS", 0.01)
    stores = chat_controller.get_chat_stores()
    stores.runs.start(Run(run_id="dead", thread_id="t", fingerprint=""))
    said, busy = threading.Event(), threading.Event()

    def work() -> bool:
        with stores.lock.hold("t"):
            busy.set()
            return said.wait(10)

    with ThreadPoolExecutor(1) as threads:
        another_request = threads.submit(work)
        assert busy.wait(10)
        response = client.get("/chat/runs/dead/stream")
        said.set()

    assert another_request.result(), "the reader waited for the conversation"
    assert types(parse(response.text.split("\n"))) == ["error", "done"]


class Ends:
    """A use case whose turn ends as nothing should end it, before or after it has begun."""

    def __init__(self, error: BaseException, *, begun: bool) -> None:
        self._error = error
        self._begun = begun

    def execute(self, message: str, thread_id: str, *, watcher: Any) -> str:
        if self._begun:
            watcher.see(
                {
                    "type": "tasks",
                    "ns": (),
                    "data": {"id": "1", "name": "llm_call", "input": {}, "triggers": ()},
                }
            )
        raise self._error


ENDS = [SystemExit(1), asyncio.CancelledError(), GeneratorExit(), RuntimeError("x")]


@pytest.mark.parametrize("error", ENDS, ids=repr)
def test_whatever_ends_a_turn_its_stream_comes_to_an_end(
    client: TestClient, error: BaseException
) -> None:
    usecase = Ends(error, begun=True)
    app.dependency_overrides[chat_controller.get_chat_usecase] = lambda: usecase

    events = stream(client, "/chat/stream", {"message": "halo", "thread_id": "t"})

    assert types(events) == ["run_started", "step_started", "error", "done"]
    assert only(events, "error")[0]["code"] == "internal"
    assert chat_controller.get_chat_stores().runs.running("t") is None
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize("error", ENDS, ids=repr)
def test_whatever_ends_a_turn_before_it_began_is_a_failure_of_the_request(
    client: TestClient, error: BaseException
) -> None:
    usecase = Ends(error, begun=False)
    app.dependency_overrides[chat_controller.get_chat_usecase] = lambda: usecase

    response = client.post("/chat/stream", json={"message": "halo", "thread_id": "t"})

    assert (response.status_code, response.json()["code"]) == (500, "internal")
    assert client.get("/health").status_code == 200


def test_a_review_that_cannot_be_shown_ends_its_stream(client: TestClient) -> None:
    class Strange:
        def send_message(self, message: str, thread_id: str, *, watcher: object) -> ChatTurn:
            return ChatTurn(pending_review={"no": "review"}, review_id="r")

    usecase = Strange()
    app.dependency_overrides[hitl_controller.get_reviewed_chat_usecase] = lambda: usecase

    response = client.post("/hitl/chat/stream", json={"message": "kirim", "thread_id": "t"})

    assert response.status_code == 500


class BrokenFor(InMemoryRunLog):
    """A log that does not take the events of one conversation."""

    def __init__(self, thread_id: str) -> None:
        super().__init__()
        self._thread_id = thread_id

    def append(self, run_id: str, events: Sequence[RunEvent]) -> None:
        run = self.find(run_id)
        if run is not None and run.thread_id == self._thread_id:
            raise TypeError("not to be stored")
        super().append(run_id, events)


def test_events_that_cannot_be_kept_end_neither_their_stream_nor_the_keeping_of_others(
    client: TestClient,
) -> None:
    serve_chat(calls("wait_for_gate"), calls("wait_for_gate"), "Satu", "Dua")
    log = BrokenFor("bad")
    stores = replace(chat_controller.get_chat_stores(), runs=log)
    app.dependency_overrides[chat_controller.get_chat_stores] = lambda: stores

    with ThreadPoolExecutor(2) as clients:
        bad = clients.submit(stream, client, "/chat/stream", {"message": "a", "thread_id": "bad"})
        time.sleep(1)  # the keeper has met what it cannot keep
        good = clients.submit(stream, client, "/chat/stream", {"message": "b", "thread_id": "good"})
        wait_until(lambda: bool((run_id := log.running("good")) and log.read(run_id, 0)))
        gate.set()

    assert types(bad.result())[-2:] == ["answer", "done"]
    assert types(good.result())[-2:] == ["answer", "done"]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_so_does_a_run_that_died_before_its_first_events_were_kept(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(far_runs, "POLL_SECONDS", 0.01)
    log = chat_controller.get_chat_stores().runs
    log.start(Run(run_id="dead", thread_id="t", fingerprint=""))

    seen_some = client.get("/chat/runs/dead/stream", headers={"Last-Event-ID": "3"})
    seen_none = client.get("/chat/runs/dead/stream")

    assert [e.number for e in parse(seen_some.text.split("\n"))] == [4, 5]
    assert types(parse(seen_none.text.split("\n"))) == ["error", "done"]
    assert log.running("t") is None


def test_a_run_of_another_process_is_followed_to_its_end(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(far_runs, "POLL_SECONDS", 0.01)
    stores = chat_controller.get_chat_stores()
    stores.runs.start(Run(run_id="far", thread_id="t", fingerprint=""))
    first = RunEvent(number=1, type="token", data={"text": "a"})
    stores.runs.append("far", [first])

    def finish_later() -> None:
        with stores.lock.hold(run_lock("far")):
            threading.Event().wait(0.2)
            stores.runs.append("far", [RunEvent(number=2, type="done", data={})])
            stores.runs.finish("far")

    other = threading.Thread(target=finish_later)
    other.start()
    response = client.get("/chat/runs/far/stream")
    other.join()

    assert types(parse(response.text.split("\n"))) == ["token", "done"]
