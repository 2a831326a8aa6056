"""Fifty people approve the same action at the same moment, and it happens once.

``GUARANTEE_ROUNDS=200`` makes the long run of it.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.guarantees.journal import FREE, GUARDED
from tests.guarantees.planned_model import plan
from tests.guarantees.servers import Service, running
from tests.guarantees.views import assert_well_formed

ROUNDS = int(os.environ.get("GUARANTEE_ROUNDS", "3"))
REVIEWERS = 50
WORKERS = {"memory": 1, "sqlite": 2, "postgres": 4}

pytestmark = pytest.mark.timeout(120 + 30 * ROUNDS)


@pytest.fixture(params=sorted(WORKERS))
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    kind: str = request.param
    url = None
    if kind == "sqlite":
        url = f"sqlite:///{tmp_path / 'app.db'}"
    elif kind == "postgres":
        url = str(request.getfixturevalue("empty_postgres_url"))
    with running(url, tmp_path, workers=WORKERS[kind]) as service:
        yield service


def test_b23_b34_of_fifty_simultaneous_approvals_one_runs_the_action(service: Service) -> None:
    statuses, workers = asyncio.run(_all_rounds(service))
    asyncio.run(_messages_at_once(service))

    assert statuses[200] == ROUNDS
    assert set(statuses) <= {200, 400, 409}
    assert sum(statuses.values()) == ROUNDS * REVIEWERS
    assert len(workers) == service.workers


async def _all_rounds(service: Service) -> tuple[Counter[int], set[str]]:
    statuses: Counter[int] = Counter()
    workers: set[str] = set()
    for number in range(ROUNDS):
        limits = httpx.Limits(max_connections=REVIEWERS)
        async with httpx.AsyncClient(
            base_url=service.url, timeout=120, limits=limits, trust_env=False
        ) as client:
            answers = await _round(client, service, f"round-{number}")
        statuses += Counter(answer.status_code for answer in answers)
        workers |= {answer.headers["X-Process"] for answer in answers}
    return statuses, workers


async def _round(client: httpx.AsyncClient, service: Service, token: str) -> list[httpx.Response]:
    work = plan([(GUARDED, {"token": token, "seconds": 0.02}), (FREE, {"token": token})])
    asked = await client.post("/hitl/chat", json={"message": work, "thread_id": token})
    assert asked.status_code == 200, asked.text
    # Every connection is open before the first decision leaves.
    await asyncio.gather(*(client.get("/health") for _ in range(REVIEWERS)))

    answers = await asyncio.gather(
        *(
            client.post("/hitl/review", json=_approval(token, asked.json()["review_id"], number))
            for number in range(REVIEWERS)
        )
    )

    assert service.journal.started()[token] == 1
    assert service.journal.ended()[token] == 1
    view = (await client.get(f"/hitl/threads/{token}")).json()
    assert_well_formed(view)
    assert [(a["name"], a["status"]) for a in view["actions"]] == [(GUARDED, "succeeded")]
    return list(answers)


async def _messages_at_once(service: Service) -> None:
    """Ten messages on one conversation: each that was answered is kept, none twice."""
    async with httpx.AsyncClient(base_url=service.url, timeout=120, trust_env=False) as client:
        bodies = [{"message": f"Hello {n}", "thread_id": "crowd"} for n in range(10)]
        answers = await asyncio.gather(*(client.post("/hitl/chat", json=b) for b in bodies))
        view = (await client.get("/hitl/threads/crowd")).json()
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert_well_formed(view)
    answered = [b["message"] for b, a in zip(bodies, answers, strict=True) if a.is_success]
    said = [line["text"] for line in view["messages"] if line["role"] == "user"]
    assert sorted(said) == sorted(answered)


def _approval(thread_id: str, review_id: str, number: int) -> dict[str, Any]:
    """Every other reviewer says which pause is meant."""
    body: dict[str, Any] = {"thread_id": thread_id, "decisions": [{"type": "approve"}]}
    return body | {"review_id": review_id} if number % 2 else body
