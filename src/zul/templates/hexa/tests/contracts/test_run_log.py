import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from src.application.ports.conversation_stores import ConversationStores
from src.application.ports.in_memory import InMemoryRunLog
from src.application.ports.run_log import Run, RunEvent, RunLog
from src.infrastructure.database.connections import get_database
from src.infrastructure.database.run_log import DatabaseRunLog
from tests.contracts.conftest import GetStores
from tests.contracts.examples import ODD_TEXTS


def a_run(run_id: str = "r1", thread_id: str = "t1", fingerprint: str = "f1") -> Run:
    return Run(run_id=run_id, thread_id=thread_id, fingerprint=fingerprint)


def token(number: int, text: str = "halo") -> RunEvent:
    return RunEvent(number=number, type="token", data={"text": text})


def test_a_run_is_found_until_it_is_erased(stores: ConversationStores) -> None:
    assert stores.runs.find("r1") is None
    assert stores.runs.start(a_run())
    assert stores.runs.find("r1") == a_run()

    stores.runs.erase("t1")

    assert stores.runs.find("r1") is None
    assert stores.runs.read("r1", 0) == []


def test_of_twenty_simultaneous_starts_one_is_the_first(stores: ConversationStores) -> None:
    with ThreadPoolExecutor(20) as threads:
        started = list(threads.map(lambda _: stores.runs.start(a_run()), range(20)))

    assert started.count(True) == 1


def test_a_second_start_changes_nothing(stores: ConversationStores) -> None:
    stores.runs.start(a_run())
    stores.runs.append("r1", [token(1)])

    assert not stores.runs.start(a_run(fingerprint="f2"))
    assert stores.runs.find("r1") == a_run()
    assert stores.runs.read("r1", 0) == [token(1)]


def test_events_are_read_in_order_from_any_number(stores: ConversationStores) -> None:
    stores.runs.start(a_run())
    stores.runs.append("r1", [token(1, "a"), token(2, "b")])
    stores.runs.append("r1", [token(3, "c"), token(4, "d"), token(5, "e")])

    assert [event.data["text"] for event in stores.runs.read("r1", 0)] == ["a", "b", "c", "d", "e"]
    assert [event.number for event in stores.runs.read("r1", 3)] == [4, 5]
    assert stores.runs.read("r1", 5) == []
    assert stores.runs.read("r2", 0) == []


def test_a_discarded_run_may_be_started_anew(stores: ConversationStores) -> None:
    stores.runs.start(a_run())
    stores.runs.start(a_run("r2"))
    stores.runs.discard("r1")

    assert stores.runs.find("r1") is None
    assert stores.runs.running("t1") == "r2"
    assert stores.runs.start(a_run(fingerprint="f2"))


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_events_hold_any_text(stores: ConversationStores, text: str) -> None:
    stores.runs.start(a_run())
    stores.runs.append("r1", [token(1, text)])

    assert stores.runs.read("r1", 0) == [token(1, text)]


def test_the_newest_unfinished_run_is_the_running_one(stores: ConversationStores) -> None:
    stores.runs.start(a_run("r1"))
    stores.runs.start(a_run("r2"))
    stores.runs.start(a_run("elsewhere", thread_id="t2"))
    assert stores.runs.running("t1") == "r2"

    stores.runs.finish("r2")
    assert stores.runs.running("t1") == "r1"

    stores.runs.finish("r1")
    stores.runs.finish("r1")
    assert stores.runs.running("t1") is None
    finished = stores.runs.find("r1")
    assert finished is not None
    assert finished.finished


def test_an_erased_run_leaves_nothing_behind_even_if_it_goes_on(
    stores: ConversationStores,
) -> None:
    stores.runs.start(a_run())
    stores.runs.erase("t1")

    stores.runs.append("r1", [token(1)])
    stores.runs.finish("r1")
    stores.runs.start(a_run())

    assert stores.runs.read("r1", 0) == []


def test_scopes_do_not_mix(stores_of: GetStores) -> None:
    stores_of("chat").runs.start(a_run())
    stores_of("chat").runs.append("r1", [token(1)])
    stores_of("hitl").runs.start(a_run())

    stores_of("hitl").runs.erase("t1")

    assert stores_of("chat").runs.read("r1", 0) == [token(1)]
    assert stores_of("hitl").runs.find("r1") is None


def _short_lived(stores: ConversationStores) -> RunLog:
    database = get_database()
    assert stores.runs is not None
    if database is None:
        return InMemoryRunLog(retention_seconds=0.05)
    return DatabaseRunLog(database.engine, "short", retention_seconds=0.05)


def test_old_runs_go_when_a_new_one_starts(stores: ConversationStores) -> None:
    runs = _short_lived(stores)
    runs.start(a_run("old"))
    runs.append("old", [token(1)])
    runs.finish("old")
    time.sleep(0.1)

    runs.start(a_run("new"))

    assert runs.find("old") is None
    assert runs.read("old", 0) == []
    assert runs.find("new") is not None
