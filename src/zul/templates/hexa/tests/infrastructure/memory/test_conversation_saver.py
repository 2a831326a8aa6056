"""What the conversation saver stores, loads and forgets."""

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    RemoveMessage,
    ToolMessage,
)
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.func import task
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt
from sqlalchemy.exc import SQLAlchemyError

from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.conversation import WHOLE_HISTORY
from src.application.errors import StoreError
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.domain.entities.agents.react.react import AgentState
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.AI.memory.conversation_saver import ConversationSaver
from src.infrastructure.AI.memory.known_state import KnownState
from src.infrastructure.AI.memory.state_cache import MESSAGE_BYTES, StateCache
from src.infrastructure.AI.memory.state_rows import StateRows
from src.infrastructure.database.connections import close_database, get_database
from src.infrastructure.database.stores import get_stores
from tests.application.scenario import APPROVE, Office, asks_for, email_to
from tests.fakes.scripted_model import ScriptedChatModel
from tests.infrastructure.memory.graphs import answer, graph_of, on, rows, saver, say, texts

# The library writes what a task has done while it stores the next state already. On PostgreSQL
# two transactions at the same moment do not see each other: such a write goes a step later.
LATE_WRITES = {"sqlite": 0, "postgres": 4}


def left_over_writes() -> int:
    """Count what was written for steps that are over."""
    return int(rows("SELECT count(*) FROM agent_writes")[0][0])


def wait_until_stored(checkpointer: ConversationSaver, state: AgentState) -> None:
    """Wait inside a node until the library's threads have stored the state it starts from."""
    deadline = time.monotonic() + 20
    while True:
        known = checkpointer._cache.newest("t", "")
        if known is not None and len(known.messages) == len(state["messages"]):
            return
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_one_state_and_each_message_once(database: str) -> None:
    say(graph_of(saver(), answer, answer), "a", "b", "c")

    assert rows("SELECT count(*) FROM agent_states") == [(1,)]
    assert rows("SELECT count(*) FROM agent_messages") == [(9,)]
    assert left_over_writes() <= LATE_WRITES[database]


def test_a_write_that_comes_in_when_its_step_is_over_is_dropped(database: str) -> None:
    checkpointer = saver()
    say(graph_of(checkpointer, answer), "a")
    before = left_over_writes()

    long_ago = on("t", checkpoint_ns="", checkpoint_id="0")
    checkpointer.put_writes(long_ago, [("messages", []), ("other", 1)], "task")
    checkpointer.put_writes(long_ago, [("messages", [])], "another task")

    assert left_over_writes() == before


def test_a_write_that_a_whole_turn_overtakes_is_dropped(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpointer = saver()
    graph = graph_of(checkpointer, answer, answer)
    say(graph, "a")
    newest, before = graph.get_state(on("t")).config, left_over_writes()
    save_writes = StateRows.save_writes

    def overtaken(*args: Any, **kwargs: Any) -> None:
        monkeypatch.undo()
        say(graph, "b")
        save_writes(*args, **kwargs)

    monkeypatch.setattr(StateRows, "save_writes", overtaken)
    checkpointer.put_writes(newest, [("messages", []), ("other", 1)], "task")

    assert left_over_writes() <= max(before, LATE_WRITES[database])
    assert texts(graph)[-3:] == ["b", "answer to b", "answer to answer to b"]


def test_a_second_reader_sees_what_the_first_one_wrote(database: str) -> None:
    first, second = graph_of(saver(), answer), graph_of(saver(), answer)

    say(first, "a")
    say(second, "b")
    say(first, "c")

    expected = ["a", "answer to a", "b", "answer to b", "c", "answer to c"]
    assert texts(first) == texts(second) == texts(graph_of(saver(), answer)) == expected


def test_an_edited_message_is_stored_under_its_place(database: str) -> None:
    def edit(state: AgentState) -> dict[str, Any]:
        return {"messages": [HumanMessage("edited", id=state["messages"][0].id)]}

    graph = graph_of(saver(), answer, edit)
    say(graph, "a")

    assert texts(graph) == texts(graph_of(saver(), answer)) == ["edited", "answer to a"]


def test_a_message_changed_in_place_is_stored(database: str) -> None:
    def change(state: AgentState) -> dict[str, Any]:
        state["messages"][0].content = "changed"
        return {"messages": [state["messages"][0]]}

    say(graph_of(saver(), answer, change), "a")

    assert texts(graph_of(saver(), answer)) == ["changed", "answer to a"]


def test_a_change_in_place_that_could_not_be_stored_is_gone(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(state: AgentState) -> dict[str, Any]:
        wait_until_stored(checkpointer, state)
        state["messages"][0].content = "changed"
        return {"messages": [state["messages"][0]]}

    replace = StateRows.replace

    def fail(*args: Any, changed: Any, **kwargs: Any) -> None:
        if any(b"changed" in row.data for row in changed):
            message = "the disk is full"
            raise SQLAlchemyError(message)
        replace(*args, changed=changed, **kwargs)

    checkpointer = saver()
    graph = graph_of(checkpointer, answer, change)
    monkeypatch.setattr(StateRows, "replace", fail)
    with pytest.raises(StoreError):
        say(graph, "a")
    monkeypatch.undo()

    assert texts(graph) == texts(graph_of(saver(), answer)) == ["a", "answer to a"]


def test_a_removed_message_is_gone(database: str) -> None:
    def forget(state: AgentState) -> dict[str, Any]:
        return {"messages": [RemoveMessage(id=str(state["messages"][0].id))]}

    graph = graph_of(saver(), answer, forget)
    say(graph, "a", "b")

    assert texts(graph) == texts(graph_of(saver(), answer))
    assert texts(graph) == ["b", "answer to b"]
    assert rows("SELECT count(*) FROM agent_messages") == [(2,)]


def test_a_writer_that_lost_track_writes_all_it_knows(database: str) -> None:
    mine = saver()
    graph = graph_of(mine, answer)
    say(graph, "a")
    mine._cache.forget("t")

    graph.update_state(on("t"), {"messages": [AIMessage("by hand")]}, as_node="node0")

    assert texts(graph_of(saver(), answer)) == ["a", "answer to a", "by hand"]


def test_results_of_parallel_tasks_survive_a_failing_neighbour(database: str) -> None:
    def fan_out(state: AgentState) -> list[Send]:
        return [Send("work", number) for number in range(3)]

    def work(number: Any) -> dict[str, Any]:
        if number == 1:
            time.sleep(0.3)  # the library gives up neighbours that are still at work
            msg = "kaput"
            raise RuntimeError(msg)
        return {"messages": [ToolMessage(str(number), tool_call_id=str(number))]}

    graph: StateGraph[Any, None, Any, Any] = StateGraph(AgentState)
    graph.add_node("work", RunnableLambda(work))
    graph.add_conditional_edges(START, fan_out, ["work"])
    compiled = graph.compile(checkpointer=saver())
    with pytest.raises(RuntimeError, match="kaput"):
        say(compiled, "a")

    tasks = graph.compile(checkpointer=saver()).get_state(on("t")).tasks
    assert [task.result is not None for task in tasks] == [True, False, True]


class Stored:
    """Notes what a saver writes into its tables."""

    def __init__(self, checkpointer: ConversationSaver, monkeypatch: pytest.MonkeyPatch) -> None:
        self.states = 0
        self.writes: list[str] = []
        rows = checkpointer._rows
        replace, save_writes = rows.replace, rows.save_writes

        def note_state(*args: Any, **kwargs: Any) -> None:
            self.states += 1
            replace(*args, **kwargs)

        def note_writes(*args: Any, **kwargs: Any) -> None:
            self.writes += [channel for _, channel, _ in args[4]]
            save_writes(*args, **kwargs)

        monkeypatch.setattr(rows, "replace", note_state)
        monkeypatch.setattr(rows, "save_writes", note_writes)


@pytest.mark.usefixtures("database")
def test_a_turn_stores_one_state_a_step_and_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer_later(state: AgentState) -> dict[str, Any]:
        wait_until_stored(checkpointer, state)  # as a model takes time
        return answer(state)

    checkpointer = saver()
    stored = Stored(checkpointer, monkeypatch)

    say(graph_of(checkpointer, answer_later, answer_later), "a", "b")

    assert stored.states == 2 * 3  # the user's message and each node
    assert stored.writes == []


@pytest.mark.usefixtures("database")
def test_a_pause_and_its_answer_are_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    def pause(_state: AgentState) -> dict[str, Any]:
        return {"messages": [AIMessage(interrupt("ok?"))]}

    checkpointer = saver()
    stored = Stored(checkpointer, monkeypatch)
    graph = graph_of(checkpointer, pause)
    say(graph, "a")
    graph.invoke(Command(resume="yes"), on("t"))

    assert {"__interrupt__", "__resume__"} <= set(stored.writes)
    assert texts(graph) == ["a", "yes"]


@pytest.mark.usefixtures("database")
def test_results_of_calls_inside_a_node_survive_its_failure() -> None:
    calls: list[str] = []

    @task
    def look_up(word: str) -> str:
        calls.append(word)
        return word.upper()

    def work(_state: AgentState) -> dict[str, Any]:
        found = look_up("a").result()
        if len(failures) == 0:
            failures.append(found)
            msg = "kaput"
            raise RuntimeError(msg)
        return {"messages": [AIMessage(found)]}

    failures: list[str] = []
    with pytest.raises(RuntimeError, match="kaput"):
        say(graph_of(saver(), work), "a")
    graph = graph_of(saver(), work)
    graph.invoke(None, on("t"))

    assert texts(graph) == ["a", "A"]
    assert calls == ["a"]


@pytest.mark.usefixtures("database")
def test_an_input_that_cannot_be_taken_leaves_the_thread_as_it_was() -> None:
    graph = graph_of(saver(), answer)
    say(graph, "a")
    with pytest.raises(ValueError, match="doesn't exist"):
        graph.invoke({"messages": [RemoveMessage(id="unknown")]}, on("t"))

    say(graph, "b")

    assert texts(graph) == texts(graph_of(saver(), answer))
    assert texts(graph) == ["a", "answer to a", "b", "answer to b"]


@pytest.mark.usefixtures("database")
def test_a_look_between_input_and_first_step_loses_nothing() -> None:
    class Nosy(ConversationSaver):
        def put(self, *args: Any) -> RunnableConfig:
            config = super().put(*args)
            texts(graph)
            return config

    database = get_database()
    assert database is not None
    graph = graph_of(Nosy(database.state_engine, "chat", database.driver_errors), answer)
    graph.invoke({"messages": [HumanMessage("a")]}, on("t"))
    graph.invoke({"messages": [HumanMessage("b")]}, on("t"))

    assert texts(graph_of(saver(), answer)) == ["a", "answer to a", "b", "answer to b"]


def test_states_of_inner_graphs_go_with_the_step_that_called_them(database: str) -> None:
    def pause(state: AgentState) -> dict[str, Any]:
        return {"messages": [AIMessage(interrupt("ok?"))]}

    inner = graph_of(None, answer, pause)
    outer = graph_of(saver(), lambda state: inner.invoke({"messages": state["messages"]}), answer)
    say(outer, "a")
    assert rows("SELECT count(*) FROM agent_states") == [(2,)]

    outer.invoke(Command(resume="yes"), on("t"))

    assert texts(outer) == ["a", "answer to a", "yes", "answer to yes"]
    assert rows("SELECT count(*) FROM agent_states") == [(1,)]
    assert rows("SELECT count(*) FROM agent_messages") == [(4,)]
    assert left_over_writes() <= LATE_WRITES[database]


def test_a_window_loads_the_newest_messages_from_a_user_message_on(database: str) -> None:
    seen: list[list[str]] = []

    def look(state: AgentState) -> dict[str, Any]:
        seen.append([message.text for message in state["messages"]])
        return answer(state)

    graph = graph_of(saver(window=3), look)
    say(graph, "a", "b", "c", "d")

    assert seen[-1] == ["c", "answer to c", "d"]
    assert texts(graph) == ["d", "answer to d"]
    assert texts(graph, **{WHOLE_HISTORY: True}) == [
        text for user in "abcd" for text in (user, f"answer to {user}")
    ]


def test_a_window_holds_across_processes_and_a_lost_cache(database: str) -> None:
    mine = saver(window=2)
    graph = graph_of(mine, answer, answer)
    say(graph, "a", "b")
    mine._cache.forget("t")
    say(graph_of(saver(window=2), answer, answer), "c")
    say(graph, "d")

    whole = texts(graph_of(saver(), answer))
    assert [text for text in whole if len(text) == 1] == ["a", "b", "c", "d"]
    assert len(whole) == 12


def test_a_turn_longer_than_the_window_is_loaded_whole(database: str) -> None:
    graph = graph_of(saver(window=2), *[answer] * 6)
    say(graph, "a")

    assert len(texts(graph)) == 7


def test_an_action_is_told_from_one_that_the_window_hides(database: str) -> None:
    """Some providers number their messages and calls anew in every request."""
    office = Office()
    asking = asks_for(email_to("alice@example.com", "call_0")).model_copy(update={"id": "msg_0"})
    script = [asking, "Sent.", "Yes.", asking, "Sent again."]
    stores = get_stores("chat")
    agent = build_human_in_the_loop_agent(
        ScriptedChatModel(script=script),
        office.tools,
        ["send_email"],
        saver(window=2),
        ledger=stores.ledger,
    )
    usecase = ReviewedChatUseCase(agent, lock=stores.lock, reviews=stores.reviews)

    usecase.send_message("one", "t")
    usecase.submit_review([APPROVE], "t")
    usecase.send_message("two", "t")
    usecase.send_message("three", "t")
    usecase.submit_review([APPROVE], "t")

    assert office.sent == ["alice@example.com"] * 2


def test_deleting_a_thread_leaves_nothing(database: str) -> None:
    mine = saver()
    graph = graph_of(mine, answer)
    say(graph, "a")
    mine.delete_thread("t")

    assert graph.get_state(on("t")).values == {}
    for table in ("agent_states", "agent_messages", "agent_writes"):
        assert rows(f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608
    say(graph, "b")
    assert texts(graph) == ["b", "answer to b"]


def test_bytes_grow_with_the_messages_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "app.db"
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{path}")
    graph = graph_of(get_checkpointer(), answer)

    def size_after(turns: int) -> int:
        say(graph, *["x" * 200] * turns)
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.stat().st_size

    first, second = size_after(60), size_after(60)
    close_database()

    assert second - first <= 1.3 * first


def known_state(checkpoint_id: str, *messages: BaseMessage, size: int = 0) -> KnownState:
    return KnownState(
        checkpoint_id=checkpoint_id,
        stored_id=checkpoint_id,
        written_here=True,
        has_one_task=False,
        offset=0,
        messages=messages,
        size=size,
    )


def test_the_cache_forgets_the_states_that_rested_longest() -> None:
    cache = StateCache(max_bytes=10 * MESSAGE_BYTES)
    for number in range(5):
        known = known_state(f"c{number}", HumanMessage("a"), AIMessage("b"))
        cache.keep(f"t{number}", "", known)

    assert cache.find("t0", "", "c0") is None
    assert cache.find("t4", "", "c4") is not None
    assert cache.find("t4", "", "another state") is None


def size_known_to(checkpointer: ConversationSaver) -> int:
    known = checkpointer._cache.newest("t", "")
    assert known is not None
    return known.size


def test_what_the_messages_weigh_is_known_without_weighing_them(database: str) -> None:
    writer, reader = saver(), saver()
    say(graph_of(writer, answer, answer), "a", "b" * 10_000, "c")
    graph_of(reader, answer).get_state(on("t"))

    [(stored,)] = rows("SELECT sum(length(data)) FROM agent_messages")
    assert stored > 10_000
    assert size_known_to(writer) == size_known_to(reader) == stored


def test_messages_outside_of_the_window_weigh_nothing(database: str) -> None:
    checkpointer = saver(window=4)
    say(graph_of(checkpointer, answer), *["x" * 1_000] * 20)

    [(stored,)] = rows("SELECT sum(length(data)) FROM agent_messages")
    assert size_known_to(checkpointer) == pytest.approx(6 / 40 * stored, rel=0.1)


def test_the_cache_counts_bytes_too() -> None:
    cache = StateCache(max_bytes=1_000_000)
    for thread_id in ("first", "second"):
        cache.keep(thread_id, "", known_state("c", HumanMessage("a"), size=600_000))

    assert cache.find("first", "", "c") is None
    assert cache.find("second", "", "c") is not None


def test_what_is_noted_of_a_state_goes_with_it() -> None:
    cache = StateCache(max_bytes=4 * MESSAGE_BYTES)
    cache.note_rewritten("unknown", "", ["m"])
    for thread_id in ("erased", "evicted", "kept"):
        cache.keep(thread_id, "", known_state("c1", HumanMessage("a")))
        cache.note_rewritten(thread_id, "", ["m"])
        if thread_id == "erased":
            cache.forget(thread_id)
    cache.keep("kept", "", known_state("c2", HumanMessage("a")))
    cache.keep("newer", "", known_state("c1", HumanMessage("a")))

    noted = {name: cache.take_rewritten(name, "") for name in ("unknown", "erased", "evicted")}
    assert noted == {"unknown": set(), "erased": set(), "evicted": set()}
    assert cache.take_rewritten("kept", "") == {"m"}
    assert cache.take_rewritten("kept", "") == set()


def test_a_large_state_is_kept_alone() -> None:
    cache = StateCache(max_bytes=10 * MESSAGE_BYTES)
    cache.keep("big", "", known_state("c", *[HumanMessage("a")] * 50))

    assert cache.find("big", "", "c") is not None


def test_many_threads_share_the_cache() -> None:
    cache = StateCache(max_bytes=100 * MESSAGE_BYTES)

    def use(number: int) -> None:
        for turn in range(50):
            cache.keep(f"t{number}", "", known_state(str(turn), HumanMessage("a")))
            assert cache.find(f"t{number}", "", str(turn)) is not None

    threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
