"""Whether the service's memory stays flat over many conversations on a durable store."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from benchmarks.figures import Figure
from benchmarks.http_client import Connection, at_once
from benchmarks.subject import free_port, started
from benchmarks.turn import expect

if TYPE_CHECKING:
    from benchmarks.settings import Run

BAR = 1.1
PARTS = 10


def measure(run: Run) -> list[Figure]:
    """Hold conversations and watch the resident memory of the process."""
    chats = run.pick(1_000, 20_000)
    port = free_port()
    environment = {"DATABASE_URL": f"sqlite:///{run.folder / 'memory.db'}"}
    arguments = ("benchmarks.subjects.hexa_app:app", str(port))
    module = "benchmarks.subjects.server"
    with started(run, module, *arguments, environment=environment) as server:
        server.wait_for(port)
        resident = []
        for _ in range(PARTS):
            load = asyncio.run(at_once([port], chats // PARTS, 8, hello))
            if load.failures:
                raise RuntimeError(load.failures[0])
            resident.append(int(server.ask("memory")["bytes"]))
    # By a third of the way the bounded cache of states is full.
    settled = resident[PARTS // 3]
    return [
        Figure(
            name=f"resident memory after {chats:,} chats, SQLite",
            baseline=f"after {chats * (PARTS // 3 + 1) // PARTS:,} chats",
            value=resident[-1] / settled,
            bar=BAR,
            detail={"mib": [round(each / 2**20, 1) for each in resident]},
        )
    ]


async def hello(connection: Connection, _number: int) -> Any:
    """Hold a conversation of one turn."""
    await expect(connection, "/hitl/chat", {"message": "hello", "thread_id": uuid4().hex})
