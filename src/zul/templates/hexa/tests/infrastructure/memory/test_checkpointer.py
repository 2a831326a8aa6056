import asyncio
import operator
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, interrupt
from sqlalchemy import create_engine
from typing_extensions import TypedDict

from src.application.errors import StoreError
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.AI.memory.conversation_saver import ConversationSaver
from src.infrastructure.database.connections import close_database


class State(TypedDict):
    seen: Annotated[list[str], operator.add]
    messages: Annotated[list[AnyMessage], add_messages]
    anything: Any


Graph = CompiledStateGraph[State, None, State, State]


@dataclass
class NotAllowed:
    text: str


def _choose(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> Iterator[str]:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    if kind == "sqlite":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{folder / 'app.db'}")
    elif kind == "postgres":
        monkeypatch.setenv("DATABASE_URL", request.getfixturevalue("postgres_url"))
    yield kind
    close_database()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def kind(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    yield from _choose(request.param, request, monkeypatch, tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def durable_kind(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    yield from _choose(request.param, request, monkeypatch, tmp_path)


def _one_step(state: State) -> dict[str, Any]:
    return {"seen": ["step"]}


def build(
    checkpointer: BaseCheckpointSaver[Any],
    step: Callable[[State], dict[str, Any]] = _one_step,
) -> Graph:
    def ask(state: State) -> dict[str, Any]:
        return {"seen": [interrupt({"question": "go on?"})]}

    graph: StateGraph[State, None, State, State] = StateGraph(State)
    graph.add_node("step", RunnableLambda(step))
    graph.add_node("ask", ask)
    graph.add_edge(START, "step")
    graph.add_edge("step", "ask")
    graph.add_edge("ask", END)
    return graph.compile(checkpointer=checkpointer)


def on(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}}


EMPTY: State = {"seen": [], "messages": [], "anything": None}


def test_every_call_makes_a_new_checkpointer(kind: str) -> None:
    assert get_checkpointer() is not get_checkpointer()


def test_a_pause_is_answered(kind: str) -> None:
    graph = build(get_checkpointer())

    paused = graph.invoke(EMPTY, on("t1"))
    assert paused["__interrupt__"][0].value == {"question": "go on?"}
    assert graph.get_state(on("t1")).next == ("ask",)

    done = graph.invoke(Command(resume="yes"), on("t1"))
    assert done["seen"] == ["step", "yes"]
    assert graph.get_state(on("t1")).values["seen"] == ["step", "yes"]


def test_asynchronous_callers_are_served_too(kind: str) -> None:
    async def converse() -> list[str]:
        graph = build(get_checkpointer())
        await graph.ainvoke(EMPTY, on("t1"))
        done = await graph.ainvoke(Command(resume="yes"), on("t1"))
        await graph.aupdate_state(on("t1"), {"seen": ["edited"]})
        states = [state async for state in graph.aget_state_history(on("t1"))]
        states.append(await graph.aget_state(on("t1")))
        assert states[0].values["seen"] == states[-1].values["seen"] == ["step", "yes", "edited"]
        return list(done["seen"])

    assert asyncio.run(converse()) == ["step", "yes"]


@pytest.mark.parametrize("thread_id", ["t1", "a\0b", "żółć 🦊", "\x1b0000", "a:b", "%s ' \\"])
def test_configurations_name_the_callers_thread(durable_kind: str, thread_id: str) -> None:
    saver = get_checkpointer()
    graph = build(saver)
    graph.invoke(EMPTY, on(thread_id))
    graph.invoke(Command(resume="yes"), on(thread_id))

    [state] = list(graph.get_state_history(on(thread_id)))
    assert state.config["configurable"]["thread_id"] == thread_id
    assert state.parent_config is not None
    assert state.parent_config["configurable"]["thread_id"] == thread_id
    assert graph.get_state(state.config).values == state.values
    assert [found.config["configurable"]["thread_id"] for found in saver.list(None)] == [thread_id]


def test_a_state_that_was_replaced_is_gone(durable_kind: str) -> None:
    graph = build(get_checkpointer())
    graph.invoke(EMPTY, on("t1"))
    paused = graph.get_state(on("t1"))
    graph.invoke(Command(resume="yes"), on("t1"))

    with pytest.raises(LookupError, match="newest state"):
        graph.get_state(paused.config)


def test_the_same_thread_of_another_agent_is_another_conversation(durable_kind: str) -> None:
    chat, hitl = get_checkpointer("chat"), get_checkpointer("hitl")
    build(chat).invoke(EMPTY, on("t1"))

    assert build(hitl).get_state(on("t1")).values == {}
    assert list(hitl.list(None)) == []

    build(hitl).invoke(EMPTY, on("t1"))
    hitl.delete_thread("t1")
    hitl.delete_thread("never seen")
    assert hitl.get_tuple(on("t1")) is None
    assert build(chat).get_state(on("t1")).values["seen"] == ["step"]


def test_the_newest_state_of_each_thread_is_listed(durable_kind: str) -> None:
    saver = get_checkpointer()
    build(get_checkpointer("hitl")).invoke(EMPTY, on("t1"))
    build(saver).invoke(EMPTY, on("t1"))
    build(saver).invoke(EMPTY, on("t2"))

    [first] = list(saver.list(on("t1")))
    everything = list(saver.list(None))
    assert [found.config["configurable"]["thread_id"] for found in everything] == ["t1", "t2"]
    assert list(saver.list(None, limit=1)) == [first]
    assert list(saver.list(on("t1"), before=first.config)) == []
    assert list(saver.list(None, filter={"source": "input"})) == []
    assert list(saver.list(None, filter={"source": "loop"})) == everything


def test_fifty_threads_at_once_keep_their_own_history(kind: str) -> None:
    graph = build(get_checkpointer(), lambda state: {"seen": [state["anything"]]})

    def converse(number: int) -> list[str]:
        thread = on(f"t{number}")
        graph.invoke({**EMPTY, "anything": f"step {number}"}, thread)
        seen: list[str] = graph.invoke(Command(resume=f"yes {number}"), thread)["seen"]
        return seen

    with ThreadPoolExecutor(50) as threads:
        assert list(threads.map(converse, range(50))) == [
            [f"step {number}", f"yes {number}"] for number in range(50)
        ]


def test_a_conversation_outlives_its_connections(durable_kind: str) -> None:
    build(get_checkpointer()).invoke(EMPTY, on("t1"))
    close_database()

    resumed = build(get_checkpointer()).invoke(Command(resume="yes"), on("t1"))
    assert resumed["seen"] == ["step", "yes"]


def test_messages_come_back_as_messages(kind: str) -> None:
    call = {"name": "add", "args": {"a": 2**40, "b": "a\0b"}, "id": "c1", "type": "tool_call"}
    messages = [
        HumanMessage("Halo a\0b", id="1"),
        AIMessage("", id="2", tool_calls=[call]),
        ToolMessage("3", id="3", tool_call_id="c1", artifact={"raw": [1]}),
    ]
    graph = build(get_checkpointer(), lambda _: {"messages": messages})
    graph.invoke(EMPTY, on("t1"))

    assert graph.get_state(on("t1")).values["messages"] == messages


def test_a_class_that_is_not_allowed_comes_back_as_data(kind: str) -> None:
    graph = build(get_checkpointer(), lambda _: {"anything": {"value": NotAllowed("x")}})
    graph.invoke(EMPTY, on("t1"))

    assert graph.get_state(on("t1")).values["anything"] == {"value": {"text": "x"}}


def test_a_database_that_does_not_do_its_part_is_a_store_error() -> None:
    without_tables = create_engine("sqlite://", isolation_level="AUTOCOMMIT")
    graph = build(ConversationSaver(without_tables, "chat", (sqlite3.Error,)))

    with pytest.raises(StoreError):
        graph.invoke(EMPTY, on("t1"))

    without_tables.dispose()
