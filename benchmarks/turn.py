"""What one turn costs: CPU time of the server's process for a turn with one tool round."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from benchmarks import postgres
from benchmarks.figures import Figure, ratio
from benchmarks.http_client import Connection, one_after_another
from benchmarks.settings import ROOT, STOCK_SAVERS
from benchmarks.subject import Subject, free_port, listening, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.settings import Run

BAR = 1.4
TURNS_PER_THREAD = 4
WARM_UP = 8


def measure(run: Run) -> list[Figure]:
    """Measure the turn beside the development server, where there is one, and on each store."""
    figures = _dev_server(run) if run.dev_server is not None else []
    figures += _on(run, "memory", "")
    path = run.folder / f"turn-{uuid4().hex}.db"
    figures += _on(run, "SQLite", f"sqlite:///{path}", f"sqlite:///{path}.stock")
    if postgres.programs() is not None:
        with postgres.server() as address:
            url = f"{address}/postgres"
            figures += _on(run, "PostgreSQL", url, f"{address}/template1")
    return figures


def _on(run: Run, store: str, url: str, stock_url: str = "") -> list[Figure]:
    environment = {"DATABASE_URL": url}
    # Short ones: a machine's speed drifts within seconds, and both sides should see the same.
    turns, rounds = run.pick(12, 8), run.pick(3, 105)
    with ExitStack() as stack:
        service = stack.enter_context(served(run, "benchmarks.subjects.hexa_app:app", environment))
        bare = stack.enter_context(
            started(run, "benchmarks.subjects.bare", environment=environment)
        )
        taken: dict[str, Callable[[int], float]] = {
            "bare": lambda n: _bare(bare, n, "weather"),
            "loop": lambda n: float(bare.ask("loop", count=n, message="weather")["cpu_ms"]),
            "service": lambda n: service.cpu_ms(n, weather),
            "bare approved": lambda n: _bare(bare, n, "mail"),
            "service approved": lambda n: service.cpu_ms(n, approved_mail),
        }
        if run.has(*STOCK_SAVERS[store]):
            stock = stack.enter_context(
                served(run, "benchmarks.subjects.stock:make_app", {"DATABASE_URL": stock_url})
            )
            taken["stock"] = lambda n: stock.cpu_ms(n, weather)
        series = in_turns(taken, turns, rounds)
    turn, approved = f"turn over HTTP, {store}", f"approved action over HTTP, {store}"
    compared = [
        (turn, "service", "bare graph.invoke", "bare", BAR),
        (turn, "service", "bare graph.invoke in a loop without a pause", "loop", None),
        (approved, "service approved", "bare graph, pause and resume", "bare approved", None),
        (turn, "service", "stock agent behind FastAPI", "stock", None),
    ]
    return [
        ratio(name, against, series[ours], series[theirs], bar=bar)
        for name, ours, against, theirs, bar in compared
        if theirs in series
    ]


def _bare(bare: Subject, count: int, message: str) -> float:
    """Return the CPU time of a turn of the graph alone.

    Each turn waits for an order, as one over HTTP waits for a request: a process that slept finds
    the processor's caches cold, which costs it up to a fifth more, whatever it does.
    """
    taken, thread_id = 0.0, ""
    for number in range(count):
        if number % TURNS_PER_THREAD == 0:
            thread_id = uuid4().hex
        taken += float(bare.ask("turn", message=message, thread_id=thread_id)["cpu_ms"])
    return taken / count


def in_turns(
    taken: dict[str, Callable[[int], float]], turns: int, rounds: int
) -> dict[str, list[float]]:
    """Take every measurement in turns, several times, after one that does not count."""
    for take in taken.values():
        take(WARM_UP)
    series: dict[str, list[float]] = {name: [] for name in taken}
    for _ in range(rounds):
        for name, take in taken.items():
            series[name].append(take(turns))
    return series


class Served:
    """A server and the CPU time that its process takes."""

    def __init__(self, port: int, cpu_seconds: Callable[[], float]) -> None:
        self.port = port
        self.cpu_seconds = cpu_seconds

    def cpu_ms(self, count: int, chat: Any) -> float:
        """Return the CPU time of one chat, of ``count`` that come one after another."""
        start = self.cpu_seconds()
        asyncio.run(one_after_another(self.port, count, chat()))
        return (self.cpu_seconds() - start) / count * 1_000


@contextmanager
def served(run: Run, application: str, environment: dict[str, str]) -> Iterator[Served]:
    """Serve an application in a process of its own."""
    port = free_port()
    module = "benchmarks.subjects.server"
    with started(run, module, application, str(port), environment=environment) as subject:
        subject.wait_for(port)
        yield Served(port, Subject.cpu_seconds.__get__(subject))


def weather() -> Any:
    """Return a chat of turns with one tool round each, a few in one conversation."""
    thread_id = ""

    async def chat(connection: Connection, number: int) -> None:
        nonlocal thread_id
        if number % TURNS_PER_THREAD == 0:
            thread_id = uuid4().hex
        await expect(connection, "/hitl/chat", {"message": "weather", "thread_id": thread_id})

    return chat


def approved_mail() -> Any:
    """Return a chat of an action that is approved."""
    thread_id = ""

    async def chat(connection: Connection, number: int) -> None:
        nonlocal thread_id
        if number % TURNS_PER_THREAD == 0:
            thread_id = uuid4().hex
        turn = await expect(connection, "/hitl/chat", {"message": "mail", "thread_id": thread_id})
        decided = {
            "thread_id": thread_id,
            "review_id": turn["review_id"],
            "decisions": [{"type": "approve"}],
        }
        await expect(connection, "/hitl/review", decided)

    return chat


async def expect(connection: Connection, path: str, body: dict[str, Any]) -> Any:
    """Send a request that has to succeed.

    Raises:
        RuntimeError: it did not.
    """
    status, answer = await connection.ask("POST", path, body)
    if status != 200:
        raise RuntimeError(f"{path}: {status} {answer}")
    return answer


def _dev_server(run: Run) -> list[Figure]:
    turns, rounds = run.pick(12, 60), run.pick(2, 5)
    with ExitStack() as stack:
        service = stack.enter_context(served(run, "benchmarks.subjects.hexa_app:app", {}))
        dev = stack.enter_context(_dev_served(run))
        taken: dict[str, Callable[[int], float]] = {
            "service": lambda n: service.cpu_ms(n, weather),
            "dev": lambda n: dev.cpu_ms(n, _dev_weather),
        }
        series = in_turns(taken, turns, rounds)
    return [
        ratio(
            "turn over HTTP, memory",
            "LangGraph's development server",
            series["service"],
            series["dev"],
        )
    ]


def _dev_weather() -> Any:
    place = ""

    async def chat(connection: Connection, number: int) -> None:
        nonlocal place
        if number % TURNS_PER_THREAD == 0:
            thread = await expect(connection, "/threads", {})
            place = f"/threads/{thread['thread_id']}/runs/wait"
        message = {"role": "user", "content": "weather"}
        await expect(connection, place, {"assistant_id": "agent", "input": {"messages": [message]}})

    return chat


@contextmanager
def _dev_served(run: Run) -> Iterator[Served]:
    port = free_port()
    folder = run.folder / "dev"
    folder.mkdir()
    graph = ROOT / "benchmarks" / "subjects" / "stock.py"
    (folder / "langgraph.json").write_text(
        f'{{"dependencies": ["."], "graphs": {{"agent": "{graph}:make_dev_graph"}}}}',
        encoding="utf-8",
    )
    command = [str(run.dev_server), "dev", "--no-browser", "--no-reload", "--port", str(port)]
    with listening(run, command, port, path="/ok", folder=folder) as process:
        yield Served(port, lambda: _cpu_of(process))


def _cpu_of(pid: int) -> float:
    """Return the CPU time of a process that takes no orders; the system counts it in ticks."""
    time.sleep(0.05)
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
