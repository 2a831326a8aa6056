"""A turn is stored by the thread that takes it, and LangGraph does everything else as before."""

import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import override

from src.application.AI.agents.react.react import build_react_agent
from src.application.errors import StoreError
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.AI.memory.writes_in_place import write_in_place
from tests.application.scenario import Office, asks_for, weather_in
from tests.fakes.scripted_model import ScriptedChatModel

CONFIG: Any = {"configurable": {"thread_id": "t"}}
EXECUTORS = "langgraph.pregel._executor"
NAME = "get_executor_for_config"


class State(TypedDict):
    done: Annotated[list[str], lambda old, new: old + new]


class NotingSaver(InMemorySaver):
    """Notes which threads write."""

    def __init__(self, failing: str = "") -> None:
        super().__init__()
        self.failing = failing
        self.writers: list[int] = []

    def _note(self, method: str) -> None:
        self.writers.append(threading.get_ident())
        if method == self.failing:
            raise StoreError

    @override
    def put(self, *args: Any, **kwargs: Any) -> Any:
        self._note("put")
        return super().put(*args, **kwargs)

    @override
    def put_writes(self, *args: Any, **kwargs: Any) -> None:
        self._note("put_writes")
        super().put_writes(*args, **kwargs)


def two_nodes(saver: InMemorySaver, meet: Callable[[], object]) -> Any:
    """Return a graph whose two nodes run side by side."""

    def left(_: State) -> dict[str, list[str]]:
        meet()
        return {"done": ["left"]}

    def right(_: State) -> dict[str, list[str]]:
        meet()
        return {"done": ["right"]}

    graph: Any = StateGraph(State)
    graph.add_node("left", left)
    graph.add_node("right", right)
    for node in ("left", "right"):
        graph.add_edge(START, node)
        graph.add_edge(node, END)
    return graph.compile(checkpointer=saver)


@pytest.fixture(autouse=True)
def in_place() -> None:
    # If this fails, LangGraph has moved what is replaced; turns work, and cost more CPU time.
    assert write_in_place()


def test_a_turn_starts_no_thread_to_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    saver = NotingSaver()
    agent = build_react_agent(ScriptedChatModel(script=["Hello."]), [], checkpointer=saver)
    started: list[threading.Thread] = []
    monkeypatch.setattr(threading.Thread, "start", started.append)

    agent.invoke({"messages": [("user", "hello")]}, CONFIG)

    assert started == []
    assert len(saver.writers) >= 3
    assert set(saver.writers) == {threading.get_ident()}
    assert [m.text for m in agent.get_state(CONFIG).values["messages"]] == ["hello", "Hello."]


def test_what_runs_side_by_side_still_does() -> None:
    saver, meeting = NotingSaver(), threading.Barrier(2, timeout=20)
    result = two_nodes(saver, meeting.wait).invoke({"done": []}, CONFIG)
    assert sorted(result["done"]) == ["left", "right"]
    assert len(saver.writers) >= 4


def test_a_limit_on_what_runs_side_by_side_still_holds() -> None:
    alone = threading.Lock()

    def meet() -> None:
        assert alone.acquire(blocking=False)
        time.sleep(0.05)
        alone.release()

    graph = two_nodes(NotingSaver(), meet)
    result = graph.invoke({"done": []}, {**CONFIG, "max_concurrency": 1})
    assert sorted(result["done"]) == ["left", "right"]


@pytest.mark.parametrize("method", ["put", "put_writes"])
def test_a_write_that_fails_ends_the_turn(method: str) -> None:
    saver = NotingSaver(failing=method)
    agent = build_react_agent(ScriptedChatModel(script=["Hello."]), [], checkpointer=saver)
    with pytest.raises(StoreError):
        agent.invoke({"messages": [("user", "hello")]}, CONFIG)


def test_streams_pass_on_what_comes() -> None:
    office = Office()
    model = ScriptedChatModel(script=[asks_for(weather_in("Jakarta")), "Sunny."])
    agent = build_react_agent(model, office.tools, checkpointer=NotingSaver())
    parts = agent.stream({"messages": [("user", "weather?")]}, CONFIG, stream_mode="messages")
    assert "Sunny." in "".join(part[0].text for part in parts)  # type: ignore[index]


def test_whoever_gets_a_checkpointer_gets_this(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module(EXECUTORS)
    of_langgraph = getattr(module, NAME).starts_pool_with
    monkeypatch.setattr(module, NAME, of_langgraph)
    get_checkpointer()
    assert getattr(module, NAME) is not of_langgraph


def test_it_is_replaced_once() -> None:
    before = getattr(import_module(EXECUTORS), NAME)
    assert write_in_place()
    assert getattr(import_module(EXECUTORS), NAME) is before


def test_without_the_name_turns_are_taken_as_langgraph_takes_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(import_module(EXECUTORS), NAME)
    assert not write_in_place()
    monkeypatch.setitem(sys.modules, EXECUTORS, None)
    assert not write_in_place()
