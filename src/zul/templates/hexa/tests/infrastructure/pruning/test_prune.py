"""What the pruning command erases, and what it keeps however long that rested."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, interrupt

from src.application.ports.conversation_stores import ConversationStores
from src.application.ports.run_log import Run, RunEvent
from src.domain.entities.agents.react.react import AgentState
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.database.connections import get_database
from src.infrastructure.database.database import Database
from src.infrastructure.database.pruning import DAY_SECONDS, Pruned, prune
from src.infrastructure.database.stores import close_stores, get_stores
from src.interface.cli.prune import main
from tests.contracts.examples import SUCCEEDED, a_review, an_action, an_answer

Graph = CompiledStateGraph[Any, None, Any, Any]
TABLES = (
    "agent_states",
    "agent_messages",
    "agent_writes",
    "agent_reviews",
    "agent_actions",
    "agent_answers",
    "agent_runs",
    "agent_run_events",
)
IDLE_DAYS = 30
ODD_ID = "a\0b \x1b0000 żółć %s"


@pytest.fixture(params=["sqlite", "postgres"], autouse=True)
def database_url(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    url = f"sqlite:///{tmp_path / 'app.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
    monkeypatch.setenv("DATABASE_URL", url)
    yield url
    close_stores()


def answer(state: AgentState) -> dict[str, Any]:
    if state["messages"][-1].text == "ask":
        interrupt("May I?")
    return {"messages": [AIMessage("done")]}


def agent(scope: str = "chat") -> Graph:
    graph: StateGraph[Any, None, Any, Any] = StateGraph(AgentState)
    graph.add_node("answer", RunnableLambda(answer))
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=get_checkpointer(scope))


def on(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}}


def say(text: str, thread_id: str, scope: str = "chat") -> Any:
    return agent(scope).invoke({"messages": [HumanMessage(text)]}, on(thread_id))


def open_database() -> Database:
    database = get_database()
    assert database is not None
    return database


def execute(statement: str) -> Any:
    with open_database().engine.connect() as connection:
        result = connection.exec_driver_sql(statement)
        return result.fetchall() if result.returns_rows else None


def let_rest(days: float = IDLE_DAYS + 1) -> None:
    """Make every conversation as old as that."""
    used_at = int(time.time() - days * DAY_SECONDS)
    execute(f"UPDATE agent_states SET used_at = {used_at}")  # noqa: S608


def counts() -> dict[str, int]:
    return {table: execute(f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}  # noqa: S608


def stored(scope: str = "chat") -> set[str]:
    saver = get_checkpointer(scope)
    return {found.config["configurable"]["thread_id"] for found in saver.list(None)}


def record_everything(stores: ConversationStores, thread_id: str) -> None:
    stores.reviews.accept(a_review(thread_id=thread_id))
    stores.reviews.settle(thread_id, "r1")
    stores.ledger.claim(an_action(thread_id=thread_id))
    stores.ledger.record("key-1", SUCCEEDED)
    stores.answers.save(an_answer(thread_id=thread_id))
    stores.runs.start(Run(run_id="run1", thread_id=thread_id, fingerprint="f", finished=False))
    stores.runs.append("run1", [RunEvent(number=1, type="token", data={"text": "a"})])
    stores.runs.finish("run1")


@pytest.mark.parametrize("thread_id", ["t1", ODD_ID])
def test_a_conversation_that_rested_goes_from_every_table(thread_id: str) -> None:
    say("hello", thread_id)
    record_everything(get_stores("chat"), thread_id)
    assert all(counts()[table] for table in TABLES if table != "agent_writes")
    let_rest()
    assert prune(open_database(), IDLE_DAYS).conversations == 1
    assert set(counts().values()) == {0}


def test_one_that_was_used_lately_stays_whole() -> None:
    say("hello", "t1")
    record_everything(get_stores("chat"), "t1")
    let_rest(IDLE_DAYS - 1)
    before = counts()
    assert prune(open_database(), IDLE_DAYS).conversations == 0
    assert counts() == before


def test_every_use_counts() -> None:
    for thread_id in ("t1", "t2"):
        say("hello", thread_id)
    let_rest()
    say("hello again", "t1")
    assert prune(open_database(), IDLE_DAYS).conversations == 1
    assert stored() == {"t1"}


def test_a_conversation_of_another_agent_under_the_same_id_has_its_own_time() -> None:
    say("hello", "t1", scope="chat")
    let_rest()
    say("hello", "t1", scope="hitl")
    prune(open_database(), IDLE_DAYS)
    assert (stored("chat"), stored("hitl")) == (set(), {"t1"})


def test_an_action_that_waits_for_a_person_waits_as_long_as_it_takes() -> None:
    pause = say("ask", "t1")["__interrupt__"][0]
    let_rest(10_000)
    assert prune(open_database(), IDLE_DAYS).conversations == 0
    done = agent().invoke(Command(resume={pause.id: "yes"}), on("t1"))
    assert done["messages"][-1].text == "done"
    let_rest()
    assert prune(open_database(), IDLE_DAYS).conversations == 1


def test_an_accepted_decision_that_is_not_carried_out_keeps_its_conversation() -> None:
    say("hello", "t1")
    reviews = get_stores("chat").reviews
    reviews.accept(a_review())
    let_rest()
    assert prune(open_database(), IDLE_DAYS).conversations == 0
    assert reviews.unsettled("t1") == a_review()
    reviews.settle("t1", "r1")
    assert prune(open_database(), IDLE_DAYS).conversations == 1


def test_a_running_action_keeps_its_conversation_and_stays_claimed() -> None:
    say("hello", "t1")
    ledger = get_stores("chat").ledger
    ledger.claim(an_action())
    let_rest()
    assert prune(open_database(), IDLE_DAYS).conversations == 0
    assert not ledger.claim(an_action()).granted


def test_a_conversation_in_use_is_passed_over() -> None:
    say("hello", "t1")
    let_rest()
    with get_stores("chat").lock.hold("t1"):
        assert prune(open_database(), IDLE_DAYS).conversations == 0
    assert stored() == {"t1"}


def test_when_nobody_knows_the_last_use_the_time_starts_with_the_first_pruning() -> None:
    say("hello", "t1")
    execute("UPDATE agent_states SET used_at = 0")
    assert prune(open_database(), IDLE_DAYS).conversations == 0
    assert abs(execute("SELECT used_at FROM agent_states")[0][0] - time.time()) < 60
    let_rest()
    assert prune(open_database(), IDLE_DAYS).conversations == 1


def test_many_go_in_one_run() -> None:
    columns = "scope, thread_id, ns, checkpoint_id, root_id, state, metadata, used_at"
    values = ", ".join(f"('chat', 't{n}', '', 'c', '', '', '', 1)" for n in range(450))
    execute(f"INSERT INTO agent_states ({columns}) VALUES {values}")  # noqa: S608
    assert prune(open_database(), IDLE_DAYS, dry_run=True).conversations == 450
    assert prune(open_database(), IDLE_DAYS).conversations == 450
    assert counts()["agent_states"] == 0


def test_a_dry_run_only_counts() -> None:
    say("hello", "t1")
    record_everything(get_stores("chat"), "t1")
    let_rest()
    before = counts()
    assert prune(open_database(), IDLE_DAYS, dry_run=True).conversations == 1
    assert counts() == before


def test_the_conversation_goes_on_as_a_new_one_in_a_worker_that_knew_it() -> None:
    known = agent()
    known.invoke({"messages": [HumanMessage("hello")]}, on("t1"))
    let_rest()
    prune(open_database(), IDLE_DAYS)
    state = known.invoke({"messages": [HumanMessage("hello again")]}, on("t1"))
    assert [message.text for message in state["messages"]] == ["hello again", "done"]


def test_answers_and_runs_go_when_their_own_time_is_over() -> None:
    record_everything(get_stores("chat"), "t1")
    assert prune(open_database(), IDLE_DAYS) == Pruned(conversations=0, answers=0, runs=0)
    execute("UPDATE agent_answers SET saved_at = '2001-01-01 00:00:00.000000'")
    execute("UPDATE agent_runs SET started_at = '2001-01-01 00:00:00.000000'")
    over = Pruned(conversations=0, answers=1, runs=1)
    assert prune(open_database(), IDLE_DAYS, dry_run=True) == over
    assert prune(open_database(), IDLE_DAYS) == over
    assert [counts()[table] for table in TABLES[-3:]] == [0, 0, 0]


def test_the_command_says_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    say("hello", "t1")
    let_rest()
    assert main(["--idle-days", "30", "--dry-run"]) == 0
    assert main(["--idle-days", "30"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Akan dihapus: 1 percakapan, 0 jawaban yang disimpan, 0 rekaman giliran.",
        "Dihapus: 1 percakapan, 0 jawaban yang disimpan, 0 rekaman giliran.",
    ]


@pytest.mark.parametrize("days", ["0", "-1", "soon"])
def test_a_senseless_number_of_days_is_refused(
    days: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        main([f"--idle-days={days}"])
    assert refused.value.code == 2
    assert "bilangan bulat di atas nol" in capsys.readouterr().err


def test_without_a_database_there_is_nothing_to_prune(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DATABASE_URL")
    assert main(["--idle-days", "30"]) == 1
    assert "DATABASE_URL" in capsys.readouterr().err


def test_a_wrong_setting_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_POOL_SIZE", "none")
    assert main(["--idle-days", "30"]) == 1
    assert capsys.readouterr().err.startswith("Gagal: pengaturan salah.\n  DATABASE_POOL_SIZE: ")


def test_a_database_that_is_out_of_reach_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody:s3cret@127.0.0.1:1/none")
    assert main(["--idle-days", "30"]) == 1
    assert capsys.readouterr().err == (
        "Gagal: Penyimpanan percakapan tidak dapat dihubungi. Coba lagi nanti.\n"
    )


def test_the_days_have_to_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main([])
    assert refused.value.code == 2
    assert capsys.readouterr().err == (
        "Salah pakai: pilihan ini wajib ada: --idle-days\n"
        "Bantuan: python -m src.interface.cli.prune --help\n"
    )
