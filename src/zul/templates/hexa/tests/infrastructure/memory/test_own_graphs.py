"""What LangGraph lets an owner's own graph do, and what the saver says where it cannot follow."""

import time
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import id as checkpoint_ids
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Overwrite, interrupt
from typing_extensions import TypedDict, override

from src.domain.entities.agents.react.react import AgentState
from src.infrastructure.AI.memory.conversation_saver import ConversationSaver
from src.infrastructure.AI.memory.writes_in_place import write_in_place
from src.infrastructure.database.connections import get_database
from tests.infrastructure.memory.graphs import (
    Graph,
    answer,
    graph_of,
    on,
    rows,
    saver,
    say,
    texts,
)

pytestmark = pytest.mark.usefixtures("database")


class SlowSaver(ConversationSaver):
    """Its states reach the database later than what the tasks of the next step write."""

    @override
    def put(self, *args: Any) -> RunnableConfig:
        time.sleep(0.03)
        return super().put(*args)


def slow_saver() -> ConversationSaver:
    database = get_database()
    assert database is not None
    return SlowSaver(database.state_engine, "chat", database.driver_errors)


@pytest.mark.parametrize("make_saver", [saver, slow_saver])
def test_a_workflow_without_a_graph_goes_on_after_its_pause(make_saver: Any) -> None:
    calls: list[int] = []

    @task
    def add_one(number: int) -> int:
        calls.append(number)
        return number + 1

    def workflow() -> Any:
        @entrypoint(checkpointer=make_saver())
        def run(number: int, previous: Any = None) -> Any:
            return [previous, add_one(number).result(), interrupt("ok?")]

        return run

    results = []
    for number in (1, 5):
        paused = workflow().invoke(number, on("t"))
        assert [each.value for each in paused["__interrupt__"]] == ["ok?"]
        results.append(workflow().invoke(Command(resume=f"yes {number}"), on("t")))

    assert results[-1] == [[None, 2, "yes 1"], 6, "yes 5"]
    assert calls == [1, 5]


def test_a_workflow_that_fails_goes_on_with_its_input() -> None:
    failures = ["first"]

    def workflow() -> Any:
        @entrypoint(checkpointer=saver())
        def run(number: int) -> int:
            if failures:
                raise RuntimeError(failures.pop())
            return number

        return run

    with pytest.raises(RuntimeError, match="first"):
        workflow().invoke(1, on("t"))

    assert workflow().invoke(None, on("t")) == 1


def choosing(choose: Any) -> Graph:
    graph: StateGraph[Any, None, Any, Any] = StateGraph(AgentState)
    graph.add_node("answer", answer)
    graph.add_conditional_edges(START, choose, ["answer"])
    return graph.compile(checkpointer=saver())


def test_a_first_choice_may_ask_somebody() -> None:
    def choose(_state: AgentState) -> Any:
        return interrupt("where?")

    say(choosing(choose), "a")
    assert [each.value for each in choosing(choose).get_state(on("t")).interrupts] == ["where?"]
    choosing(choose).invoke(Command(resume="answer"), on("t"))

    assert texts(choosing(choose)) == ["a", "answer to a"]


def test_a_first_choice_that_fails_leaves_the_thread_as_it_was() -> None:
    failures = ["first"]

    def choose(_state: AgentState) -> str:
        if failures:
            raise RuntimeError(failures.pop())
        return "answer"

    with pytest.raises(RuntimeError, match="first"):
        say(choosing(choose), "a")
    assert texts(choosing(choose)) == []
    say(choosing(choose), "a")

    assert texts(choosing(choose)) == ["a", "answer to a"]


def test_nothing_starts_from_a_state_that_is_not_kept() -> None:
    graph = graph_of(saver(), answer)
    say(graph, "a")
    earlier = graph.get_state(on("t")).config
    say(graph, "b")
    kept = texts(graph)

    for use in (
        lambda: graph.invoke({"messages": [HumanMessage("c")]}, earlier),
        lambda: graph.invoke(None, earlier),
        lambda: graph.update_state(earlier, {"messages": [AIMessage("c")]}, as_node="node0"),
        lambda: graph.get_state(earlier),
    ):
        with pytest.raises(LookupError, match="newest state"):
            use()

    assert texts(graph_of(saver(), answer)) == kept == ["a", "answer to a", "b", "answer to b"]


def test_the_newest_state_may_be_named() -> None:
    graph = graph_of(saver(), answer)
    say(graph, "a")

    graph.invoke({"messages": [HumanMessage("b")]}, graph.get_state(on("t")).config)

    assert texts(graph) == ["a", "answer to a", "b", "answer to b"]
    assert len(list(graph.get_state_history(on("t")))) == 1


def test_a_channel_that_needs_earlier_states_is_refused() -> None:
    def append(left: list[Any], right: Any) -> list[Any]:
        return [*left, *(each for update in right for each in update)]

    class Delta(TypedDict):
        messages: Annotated[list[AnyMessage], DeltaChannel(append)]

    graph: StateGraph[Any, None, Any, Any] = StateGraph(Delta)
    graph.add_node("answer", RunnableLambda(answer))
    graph.add_edge(START, "answer")

    with pytest.raises(NotImplementedError, match="DeltaChannel"):
        say(graph.compile(checkpointer=saver()), "a")


@pytest.mark.parametrize("shape", ["alone", "overwriting", "with text"])
def test_a_message_changed_in_place_is_stored_however_it_is_returned(shape: str) -> None:
    def change(state: AgentState) -> dict[str, Any]:
        message = state["messages"][0]
        message.content = "changed"
        shapes = {
            "alone": message,
            "overwriting": Overwrite([message]),
            "with text": [message, ("user", "b")],
        }
        return {"messages": shapes[shape]}

    say(graph_of(saver(), answer, change), "a")

    assert texts(graph_of(saver(), answer))[0] == "changed"


def test_a_clock_that_goes_back_loses_no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another machine's clock may be ahead, and this one's may be set."""

    def pause(_state: AgentState) -> dict[str, Any]:
        return {"messages": [AIMessage(interrupt("ok?"))]}

    now = time.time_ns

    def set_clock(seconds: int) -> None:
        monkeypatch.setattr(checkpoint_ids, "_last_v6_timestamp", None)
        monkeypatch.setattr(time, "time_ns", lambda: now() + seconds * 10**9)

    set_clock(60)
    say(graph_of(saver(), answer), "a")
    set_clock(0)
    graph = graph_of(slow_saver(), pause)
    say(graph, "b")

    assert [each.value for each in graph.get_state(on("t")).interrupts] == ["ok?"]
    graph.invoke(Command(resume="yes"), on("t"))
    assert texts(graph_of(saver(), answer)) == ["a", "answer to a", "b", "yes"]
    assert rows("SELECT count(*) FROM agent_states") == [(1,)]


class DyingSaver(SlowSaver):
    """Its process ends when so many states have reached the database: nothing comes after."""

    lives = 0

    @override
    def put(self, *args: Any) -> RunnableConfig:
        self._live()
        self.lives -= 1
        return super().put(*args)

    @override
    def put_writes(self, *args: Any) -> None:
        self._live()
        super().put_writes(*args)

    def _live(self) -> None:
        if not self.lives:
            raise ConnectionError("dead")


@pytest.mark.parametrize("lives", [2, 3, 4])
def test_paths_that_meet_go_on_where_a_process_ended(lives: int) -> None:
    """That needs writes in their order: a write must not pass the state before it."""
    assert write_in_place()
    database = get_database()
    assert database is not None
    dying = DyingSaver(database.state_engine, "chat", database.driver_errors)
    dying.lives = lives

    with pytest.raises(ConnectionError, match="dead"):
        say(meeting_paths(dying), "a")
    graph = meeting_paths(saver())
    graph.invoke(None, on("t"))

    assert sorted(texts(graph)) == ["a", "long", "long, first part", "short", "together"]
    assert texts(graph)[-1] == "together"


def meeting_paths(checkpointer: Any) -> Graph:
    """Return a graph whose last node waits for a path of one node and for one of two."""

    def says(text: str) -> Any:
        return lambda _state: {"messages": [AIMessage(text)]}

    graph: StateGraph[Any, None, Any, Any] = StateGraph(AgentState)
    for text in ("short", "long, first part", "long", "together"):
        graph.add_node(text, says(text))
    for node in ("short", "long, first part"):
        graph.add_edge(START, node)
    graph.add_edge("long, first part", "long")
    graph.add_edge(["short", "long"], "together")
    return graph.compile(checkpointer=checkpointer)
