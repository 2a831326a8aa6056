"""One turn computes at a time, and whoever waits for somebody else keeps nobody from it."""

import asyncio
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import Field
from typing_extensions import override

from src.application import compute_queue as module
from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.react.react import Agent, build_react_agent
from src.application.AI.agents.subagents.subagents import SubagentSpec, build_supervisor_agent
from src.application.compute_queue import ComputeQueue, compute_queue
from src.application.usecases.chat import ChatUseCase
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.infrastructure.AI.llm.guard import GuardedChatModel
from tests.application.scenario import APPROVE, Office, asks_for, call, email_to
from tests.fakes.scripted_model import Messages, ScriptedChatModel

NEVER = 600.0
"""A place that is somebody's own for longer than any test takes."""


class Crowd:
    """Threads that use a queue, and what they did in which order."""

    def __init__(self, queue: ComputeQueue) -> None:
        self.queue = queue
        self.events: list[str] = []
        self.threads: list[threading.Thread] = []

    def start(self, name: str, body: Callable[[], object] = lambda: None) -> threading.Thread:
        def run() -> None:
            with self.queue.computing():
                self.events.append(name)
                body()

        thread = threading.Thread(target=run)
        thread.start()
        self.threads.append(thread)
        return thread

    def queue_up(self, name: str, body: Callable[[], object] = lambda: None) -> None:
        """Start a thread that has to wait, and return when it does."""
        before = len(self.queue._waiting)
        self.start(name, body)
        wait_until(lambda: len(self.queue._waiting) > before)

    def join(self) -> None:
        for thread in self.threads:
            thread.join(timeout=20)
            assert not thread.is_alive()


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def interrupt_main(is_over: threading.Event) -> None:
    """Interrupt the wait of the main thread; a signal just before its sleep would not end it."""
    while not is_over.is_set():
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        is_over.wait(1)


@pytest.fixture
def queue() -> ComputeQueue:
    return ComputeQueue(overdue_seconds=NEVER)


def test_places_are_given_one_at_a_time_in_the_order_of_coming(queue: ComputeQueue) -> None:
    crowd, names = Crowd(queue), [f"turn {number}" for number in range(8)]
    with queue.computing():
        for name in names:
            crowd.queue_up(name)
        assert crowd.events == []
    crowd.join()
    assert crowd.events == names


@pytest.mark.parametrize("places", [1, 3])
def test_never_more_compute_than_there_are_places(places: int) -> None:
    queue, guard = ComputeQueue(places, overdue_seconds=NEVER), threading.Lock()
    now, most = 0, 0

    def compute() -> None:
        nonlocal now, most
        for _ in range(20):
            with queue.computing():
                with guard:
                    now += 1
                    most = max(most, now)
                time.sleep(0.0002)
                with guard:
                    now -= 1
                with queue.waiting():
                    time.sleep(0.0002)

    with ThreadPoolExecutor(12) as pool:
        for done in [pool.submit(compute) for _ in range(12)]:
            done.result(timeout=30)
    assert most == places


def test_who_waits_makes_room_and_comes_back_behind_the_others(queue: ComputeQueue) -> None:
    crowd, answered = Crowd(queue), threading.Event()

    def ask() -> None:
        with queue.waiting():
            assert answered.wait(20)
        crowd.events.append("asked: back")

    with queue.computing():
        crowd.queue_up("asked", ask)
    wait_until(lambda: crowd.events == ["asked"])
    with queue.computing():  # free, because the other one waits
        crowd.queue_up("second")
        answered.set()
        wait_until(lambda: len(queue._waiting) == 2)
    crowd.join()
    assert crowd.events == ["asked", "second", "asked: back"]


def test_a_turn_inside_a_turn_needs_no_second_place(queue: ComputeQueue) -> None:
    with queue.computing():
        with queue.computing():
            pass
        crowd = Crowd(queue)
        crowd.queue_up("other")  # the inner one has not given the place away
    crowd.join()


def test_who_has_no_place_may_wait_all_the_same(queue: ComputeQueue) -> None:
    with queue.waiting(), queue.computing():
        pass


def test_a_result_wakes_its_turn_when_a_place_is_free(queue: ComputeQueue) -> None:
    crowd, result = Crowd(queue), Future[str]()
    with queue.computing():
        crowd.queue_up("asked", lambda: crowd.events.append(queue.result_of(result)))
    wait_until(lambda: crowd.events == ["asked"])
    with queue.computing():  # free, because the other one waits
        crowd.queue_up("second")
        result.set_result("answered")
        assert len(queue._waiting) == 2  # lined up by who had the result, behind the second
        assert crowd.events == ["asked"]
    crowd.join()
    assert crowd.events == ["asked", "second", "answered"]
    assert queue._holders == []


def test_a_result_that_is_there_keeps_the_place(queue: ComputeQueue) -> None:
    crowd, result = Crowd(queue), Future[str]()
    result.set_result("at once")
    with queue.computing():
        crowd.queue_up("next")
        assert queue.result_of(result) == "at once"
        assert crowd.events == []
    crowd.join()


def test_who_has_no_place_gets_a_result_without_one(queue: ComputeQueue) -> None:
    result = Future[str]()
    with ThreadPoolExecutor(1) as pool:
        got = pool.submit(queue.result_of, result)
        result.set_result("here")
        assert got.result(timeout=20) == "here"
    assert queue._holders == []


@pytest.mark.parametrize("error", [ZeroDivisionError(), asyncio.CancelledError()])
def test_a_failed_result_comes_back_in_its_place(queue: ComputeQueue, error: BaseException) -> None:
    result, crowd = Future[str](), Crowd(queue)
    threading.Timer(0.01, result.set_exception, [error]).start()
    with queue.computing():
        with pytest.raises(type(error)):
            queue.result_of(result)
        crowd.queue_up("next")  # waits, so the place is taken
    crowd.join()
    assert queue._holders == []


def test_a_cancelled_result_ends_the_wait(queue: ComputeQueue) -> None:
    result = Future[str]()
    threading.Timer(0.01, result.cancel).start()
    with pytest.raises(CancelledError), queue.computing():
        queue.result_of(result)
    assert queue._holders == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not interrupt a wait for a lock")
def test_who_is_interrupted_before_its_result_takes_no_place_later(queue: ComputeQueue) -> None:
    crowd, result, is_over = Crowd(queue), Future[str](), threading.Event()

    def interrupt() -> None:
        with queue.computing():  # free only when the main thread waits for its result
            pass
        interrupt_main(is_over)

    with queue.computing():
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            queue.result_of(result)
        is_over.set()

    result.set_result("too late")
    assert queue._waiting == deque()
    assert queue._holders == []
    crowd.start("next")
    crowd.join()


def test_a_watch_that_cannot_start_is_started_by_the_next(
    queue: ComputeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd = Crowd(queue)

    def fail(_: object) -> object:
        raise RuntimeError("can't start new thread")

    with queue.computing():
        with monkeypatch.context() as patch, ThreadPoolExecutor(1) as pool:
            patch.setattr(module._threads, "submit", fail)
            failed = pool.submit(queue.computing().__enter__)
            assert isinstance(failed.exception(timeout=20), RuntimeError)
        assert (queue._watched, queue._waiting) == (False, deque())
        crowd.queue_up("next")
        assert queue._watched
    crowd.join()


def test_a_failure_gives_the_place_back(queue: ComputeQueue) -> None:
    with pytest.raises(ZeroDivisionError), queue.computing():
        _ = 1 / 0
    with pytest.raises(ZeroDivisionError), queue.computing(), queue.waiting():
        _ = 1 / 0
    Crowd(queue).start("next").join(timeout=20)
    assert queue._holders == []


def test_an_overdue_place_goes_to_the_next_and_is_not_given_back_twice() -> None:
    queue = ComputeQueue(overdue_seconds=0.01)
    crowd, go_on = Crowd(queue), threading.Event()
    crowd.start("stuck", lambda: go_on.wait(20))
    wait_until(lambda: crowd.events == ["stuck"])
    queue_was_free = threading.Event()
    crowd.start("next", queue_was_free.set)

    assert queue_was_free.wait(20)

    queue._overdue_seconds = NEVER
    wait_until(lambda: not queue._watched)
    with queue.computing():
        go_on.set()  # what was stuck ends: this place is still taken
        crowd.threads[0].join(timeout=20)
        crowd.queue_up("last")
        assert crowd.events == ["stuck", "next"]
    crowd.join()


def test_however_many_are_stuck_the_others_go_on() -> None:
    queue = ComputeQueue(overdue_seconds=0.005)
    crowd, everybody = Crowd(queue), threading.Barrier(20)
    for number in range(20):
        crowd.start(str(number), lambda: everybody.wait(20))
    crowd.join()
    assert len(crowd.events) == 20
    assert not everybody.broken


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not interrupt a wait for a lock")
def test_who_is_interrupted_leaves_the_queue(queue: ComputeQueue) -> None:
    crowd, go_on, is_over = Crowd(queue), threading.Event(), threading.Event()
    crowd.start("first", lambda: go_on.wait(20))
    wait_until(lambda: crowd.events == ["first"])

    def interrupt() -> None:
        wait_until(lambda: len(queue._waiting) == 1)
        interrupt_main(is_over)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt), queue.computing():
        pytest.fail("The place was taken")
    is_over.set()

    assert len(queue._waiting) == 0
    crowd.queue_up("second")
    go_on.set()
    crowd.join()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_worker_starts_with_an_empty_queue(queue: ComputeQueue) -> None:
    crowd, go_on = Crowd(queue), threading.Event()
    crowd.start("parent", lambda: go_on.wait(20))
    wait_until(lambda: crowd.events == ["parent"])

    if (child := os.fork()) == 0:
        signal.alarm(10)
        with queue.computing():
            os._exit(0)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    go_on.set()
    crowd.join()


@pytest.mark.parametrize(("has_lock", "places"), [(None, 1), (True, 1), (False, os.cpu_count())])
def test_without_the_lock_of_the_interpreter_every_core_may_compute(
    has_lock: bool | None, places: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if has_lock is None:
        monkeypatch.delattr(sys, "_is_gil_enabled", raising=False)
    else:
        monkeypatch.setattr(sys, "_is_gil_enabled", lambda: has_lock, raising=False)
    assert module._places() == places


class Placed(ScriptedChatModel):
    """Notes at each call whether its thread has a place."""

    places: list[bool] = Field(default_factory=list)

    @override
    def _next_reply(self, messages: Messages) -> AIMessage:
        self.places.append(compute_queue._place is not None)
        return super()._next_reply(messages)


def test_messages_and_reviews_take_their_turns_in_places() -> None:
    office = Office()
    model = Placed(script=[asks_for(email_to("a@example.com")), "Sent."])
    agent = build_human_in_the_loop_agent(
        model, office.tools, {"send_email"}, checkpointer=InMemorySaver()
    )
    usecase = ReviewedChatUseCase(agent)
    usecase.send_message("mail", "t")
    assert usecase.submit_review([APPROVE], "t").answer == "Sent."
    assert model.places == [True, True]
    assert compute_queue._place is None


def test_subagents_take_theirs_too() -> None:
    model = Placed(script=["Here."])
    spec = SubagentSpec(
        name="guide", description="Guides.", system_prompt="You guide.", tools=[], llm=model
    )
    agent = build_supervisor_agent(_caller("guide", query="where?"), [spec])
    assert ChatUseCase(agent).execute("hello", "t") == "Here."
    assert model.places == [True]


# Turns: in each case two of them meet while they wait. Were one of them in the other's way, they
# would not, because no place is ever overdue here.


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    # Not by a longer time: a watch that sleeps for so long would still do so in later tests.
    monkeypatch.setattr(ComputeQueue, "_watch", lambda queue: setattr(queue, "_watched", False))


class Meeting:
    """A place where two turns meet."""

    def __init__(self) -> None:
        self._barrier = threading.Barrier(2)

    def join(self) -> str:
        self._barrier.wait(timeout=20)
        return "met"

    def reply(self, _: Messages) -> str:
        return self.join()

    async def join_async(self) -> str:
        return await asyncio.to_thread(self.join)


def answers_of_two_turns(agent: Agent, *, streamed: bool = False) -> list[str]:
    usecase = ChatUseCase(agent)

    class Reader:
        def see(self, part: Any) -> None:
            pass

    def chat(thread_id: str) -> str:
        return usecase.execute("hello", thread_id, watcher=Reader() if streamed else None)

    with ThreadPoolExecutor(2) as pool:
        turns = [pool.submit(chat, thread_id) for thread_id in ("one", "two")]
        return [turn.result(timeout=40) for turn in turns]


def guarded(*script: Any) -> GuardedChatModel:
    return GuardedChatModel(inner=ScriptedChatModel(script=list(script)), total_timeout_seconds=30)


BLOCKING = StructuredTool.from_function(Meeting().join, name="meet", description="Meets.")
ASYNCHRONOUS = StructuredTool.from_function(
    coroutine=Meeting().join_async, name="meet", description="Meets."
)


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("streamed", [False, True], ids=["answered", "streamed"])
def test_turns_that_wait_for_their_models_do_not_wait_for_each_other(streamed: bool) -> None:
    meeting = Meeting()
    agent = build_react_agent(
        guarded(meeting.reply, meeting.reply), [], checkpointer=InMemorySaver()
    )
    assert answers_of_two_turns(agent, streamed=streamed) == ["met", "met"]


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("streamed", [False, True], ids=["answered", "streamed"])
@pytest.mark.parametrize("tool", [BLOCKING, ASYNCHRONOUS], ids=["blocking", "asynchronous"])
def test_turns_that_wait_for_their_tools_do_not_wait_for_each_other(
    tool: BaseTool, streamed: bool
) -> None:
    agent = build_react_agent(_caller("meet"), [tool], checkpointer=InMemorySaver())
    assert answers_of_two_turns(agent, streamed=streamed) == ["met", "met"]


@pytest.mark.usefixtures("patience")
def test_turns_that_wait_for_models_of_subagents_do_not_wait_for_each_other() -> None:
    meeting = Meeting()
    spec = SubagentSpec(
        name="guide",
        description="Guides.",
        system_prompt="You guide.",
        tools=[],
        llm=guarded(meeting.reply, meeting.reply),
    )
    agent = build_supervisor_agent(
        _caller("guide", query="where?"), [spec], checkpointer=InMemorySaver()
    )
    assert answers_of_two_turns(agent) == ["met", "met"]


def _caller(name: str, **arguments: Any) -> ScriptedChatModel:
    """Return a model that calls a tool once, then says what the tool did."""

    def reply(messages: Sequence[Any]) -> AIMessage:
        last = messages[-1]
        if last.type == "tool":
            return AIMessage(last.text)
        return asks_for(call(name, "c1", **arguments))

    return ScriptedChatModel(script=[reply] * 4)
