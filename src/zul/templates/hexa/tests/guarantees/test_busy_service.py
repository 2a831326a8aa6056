"""A service whose every chat waits for something slow still answers whoever asks for its health."""

import asyncio
from pathlib import Path

import httpx
import pytest

from tests.guarantees.journal import FREE
from tests.guarantees.planned_model import plan
from tests.guarantees.servers import running

CHATS = 60
WAIT_SECONDS = 3.0

pytestmark = pytest.mark.timeout(180)


def test_b103_sixty_waiting_chats_on_two_connections_hold_up_nobody(
    empty_postgres_url: str, tmp_path: Path
) -> None:
    settings = {"DATABASE_POOL_SIZE": "2", "WORKER_THREADS": str(CHATS)}
    with running(empty_postgres_url, tmp_path, workers=1, **settings) as service:
        asyncio.run(_all_wait_and_health_answers(service.url))


async def _all_wait_and_health_answers(url: str) -> None:
    limits = httpx.Limits(max_connections=CHATS + 1)
    async with httpx.AsyncClient(
        base_url=url, timeout=120, limits=limits, trust_env=False
    ) as client:
        message = plan([(FREE, {"token": "slow", "seconds": WAIT_SECONDS})])
        chats = [
            asyncio.create_task(
                client.post("/chat", json={"message": message, "thread_id": f"t{n}"})
            )
            for n in range(CHATS)
        ]
        answered_meanwhile = 0
        while not any(chat.done() for chat in chats):
            health = await client.get("/health", timeout=WAIT_SECONDS)
            assert health.json() == {"status": "ok"}
            answered_meanwhile += 1
        answers = await asyncio.gather(*chats)

    assert answered_meanwhile > 1
    assert {answer.status_code for answer in answers} == {200}
