"""Reported faults of products like this one that only a whole service can have."""

import re
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.guarantees.journal import GUARDED, Journal
from tests.guarantees.planned_model import GREETING, plan
from tests.guarantees.servers import PROJECT, Phoenix, mortal
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def on_postgres(postgres_url: str, tmp_path: Path) -> Iterator[Phoenix]:
    with mortal(postgres_url, tmp_path) as phoenix:
        yield phoenix


@pytest.fixture
def on_sqlite(tmp_path: Path) -> Iterator[Phoenix]:
    with mortal(f"sqlite:///{tmp_path / 'app.db'}", tmp_path) as phoenix:
        yield phoenix


def talk(client: httpx.Client, journal: Journal, name: str) -> None:
    """A message that pauses, an approval, an answer."""
    message = plan([(GUARDED, {"token": name})])
    asked = client.post("/hitl/chat", json={"message": message, "thread_id": name})
    assert asked.status_code == 200, asked.text
    approve(client, name, asked.json()["review_id"])
    assert journal.started()[name] == 1


def approve(client: httpx.Client, thread_id: str, review_id: str) -> None:
    body = {"thread_id": thread_id, "review_id": review_id, "decisions": [{"type": "approve"}]}
    decided = client.post("/hitl/review", json=body)
    assert decided.status_code == 200, decided.text
    assert decided.json()["answer"]


class TestDatabaseThatGoesAway:
    def test_b87_ended_sessions_do_not_show(self, on_postgres: Phoenix, postgres_url: str) -> None:
        with httpx.Client(base_url=on_postgres.url, timeout=60, trust_env=False) as client:
            for number in range(3):
                talk(client, on_postgres.journal, f"before-{number}")
                with psycopg.connect(postgres_url, autocommit=True) as connection:
                    connection.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
                talk(client, on_postgres.journal, f"after-{number}")

    def test_b87_a_restarted_server_loses_no_pause(
        self, on_postgres: Phoenix, postgres_server: PostgresServer
    ) -> None:
        if postgres_server.restart is None:
            pytest.skip("the server of TEST_DATABASE_URL is not ours to restart")
        with httpx.Client(base_url=on_postgres.url, timeout=60, trust_env=False) as client:
            message = plan([(GUARDED, {"token": "paused"})])
            asked = client.post("/hitl/chat", json={"message": message, "thread_id": "paused"})

            postgres_server.restart()

            approve(client, "paused", asked.json()["review_id"])
            assert on_postgres.journal.started()["paused"] == 1
            talk(client, on_postgres.journal, "afterwards")


def test_b93_b95_fifty_requests_at_once_neither_hang_nor_mix(on_sqlite: Phoenix) -> None:
    with httpx.Client(base_url=on_sqlite.url, timeout=60, trust_env=False) as client:

        def say(number: int) -> httpx.Response:
            thread = {"thread_id": f"t{number}"}
            client.post("/chat", json={"message": f"Hello {number}", **thread})
            return client.get(f"/chat/threads/t{number}")

        with ThreadPoolExecutor(50) as people:
            views = [view.json() for view in people.map(say, range(50))]

    for number, view in enumerate(views):
        assert [line["text"] for line in view["messages"]] == [f"Hello {number}", GREETING]


def test_b100_the_lower_bounds_leave_out_releases_with_known_holes() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = " ".join(project["dependencies"])
    bounds = dict(re.findall(r"([a-z-]+)(?:\[[^]]*\])?>=([\d.]+)", needed))

    def at_least(package: str, version: str) -> bool:
        return [int(n) for n in bounds[package].split(".")] >= [int(n) for n in version.split(".")]

    assert at_least("langgraph", "1.2")
    assert at_least("langgraph-checkpoint", "4.0")
    assert at_least("langgraph-prebuilt", "1.1.1")
