"""Many chats at the same time: throughput beside what CPU allows, and whether /health answers.

What CPU allows is measured, not computed: the same service in the same run, with a model that
answers at once and just enough requests to keep it busy. Whatever else the machine does meanwhile
is in both sides.
"""

from __future__ import annotations

import asyncio
import os
import signal
import statistics
import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from benchmarks import postgres
from benchmarks.figures import Figure
from benchmarks.http_client import Connection, Load, at_once, until_healthy
from benchmarks.subject import free_port
from benchmarks.turn import expect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.settings import Run

IN_FLIGHT = 500
MODEL_SECONDS = 2.0
SERVICE = "benchmarks.subjects.hexa_app:app"
STOCK = "benchmarks.subjects.crowded_stock_app:app"
BUSY = 16
"""Enough requests to keep a process busy whose model answers at once."""


def measure(run: Run) -> list[Figure]:
    """Load one worker on SQLite and PostgreSQL, then two workers on PostgreSQL."""
    paths = [run.folder / f"load-{name}.db" for name in ("waiting", "busy")]
    figures = _one_worker(run, "SQLite", (f"sqlite:///{paths[0]}", f"sqlite:///{paths[1]}"))
    if run.full:
        figures += _stock_in_memory(run)
    if postgres.programs() is not None:
        with postgres.server() as address:
            if run.full:
                urls = (postgres.new_database(address), postgres.new_database(address))
                figures += _one_worker(run, "PostgreSQL", urls)
            figures += _two_workers(run, address)
    return figures


@dataclass(frozen=True)
class _Crowd:
    """What one worker did with many chats in flight, round by round.

    Attributes:
        loads: the chats with the model that takes its time.
        allowed: chats in a second that CPU and model allow.
        cpu_ms: CPU time of a chat in the crowd.
        few_cpu_ms: the same with few in flight and a model that answers at once.
        cores: how many cores the worker used meanwhile.
    """

    loads: list[Load] = field(default_factory=list)
    allowed: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    few_cpu_ms: list[float] = field(default_factory=list)
    cores: list[float] = field(default_factory=list)

    @property
    def throughputs(self) -> list[float]:
        """Return the parts of what is allowed."""
        pairs = zip(self.loads, self.allowed, strict=True)
        return [load.per_second / allowed for load, allowed in pairs]

    @property
    def growths(self) -> list[float]:
        """Return how much more CPU time a chat takes in the crowd."""
        return [many / few for many, few in zip(self.cpu_ms, self.few_cpu_ms, strict=True)]


def _crowd(run: Run, app: str, urls: tuple[str, str]) -> _Crowd:
    """Load one worker of an application; each of its two servers has a store of its own."""
    in_flight, crowd = run.pick(100, IN_FLIGHT), _Crowd()
    slow = {"DATABASE_URL": urls[0], "BENCH_LATENCY_SECONDS": str(MODEL_SECONDS)}
    with ExitStack() as stack:
        waiting, waiting_group = stack.enter_context(_workers(run, 1, slow, app))
        busy = stack.enter_context(_workers(run, 1, {"DATABASE_URL": urls[1]}, app))
        asyncio.run(at_once(waiting, in_flight, in_flight, _hello))
        asyncio.run(at_once(busy[0], 2 * BUSY, BUSY, _hello))
        for _ in range(run.pick(1, 3)):
            few = _carry(*busy, run.pick(200, 1_500), BUSY, watch_health=True)
            before, chats = _cpu_seconds(waiting_group), run.pick(4, 6) * in_flight
            load = asyncio.run(at_once(waiting, chats, in_flight, _hello, watch_health=True))
            used = _cpu_seconds(waiting_group) - before
            crowd.loads.append(load)
            crowd.allowed.append(min(in_flight / MODEL_SECONDS, few.rate))
            crowd.cpu_ms.append(used / chats * 1_000)
            crowd.few_cpu_ms.append(few.cpu_ms)
            crowd.cores.append(used / load.seconds)
    return crowd


def _one_worker(run: Run, store: str, urls: tuple[str, str]) -> list[Figure]:
    crowd = _crowd(run, SERVICE, urls)
    health = [seconds for load in crowd.loads for seconds in load.health_seconds]
    p99 = statistics.quantiles(health, n=100)[98]
    errors = [failure for load in crowd.loads for failure in load.failures]
    name = _name(run, store)
    return [
        _throughput(name, crowd, bar=0.9),
        _growth(name, crowd),
        Figure(
            name=f"{name}: cores in use",
            baseline="the one that the interpreter's lock allows",
            value=statistics.median(crowd.cores),
            bar=0.9,
            kind="at least",
            samples=crowd.cores,
            gross=False,  # as the throughput
        ),
        Figure(
            name=f"{name}: /health p99",
            baseline="100 ms",
            value=p99 / 0.1,
            bar=1.0,
            gross=False,
            detail={"p50_ms": statistics.median(health) * 1_000, "p99_ms": p99 * 1_000},
        ),
        Figure(
            name=f"{name}: errors",
            baseline="none, in chats",
            value=float(len(errors)),
            bar=0.0,
            detail={"first": errors[:3]},
        ),
    ]


def _stock_in_memory(run: Run) -> list[Figure]:
    """Do the same to the prebuilt agent, which keeps its states in memory and promises nothing."""
    crowd = _crowd(run, STOCK, ("", ""))
    name = f"{_name(run, 'memory')}, stock agent behind FastAPI"
    return [_throughput(name, crowd), _growth(name, crowd)]


def _name(run: Run, store: str) -> str:
    in_flight = run.pick(100, IN_FLIGHT)
    return f"{in_flight} chats in flight, {MODEL_SECONDS:g}-second model, {store}"


def _throughput(name: str, crowd: _Crowd, bar: float | None = None) -> Figure:
    return Figure(
        name=f"{name}: throughput",
        baseline="what CPU and model allow",
        value=statistics.median(crowd.throughputs),
        bar=bar,
        kind="shown" if bar is None else "at least",
        samples=crowd.throughputs,
        gross=False,  # wall time, and the clients share the machine with the service
        detail={
            "chats_per_second": [round(load.per_second, 1) for load in crowd.loads],
            "allowed_per_second": [round(allowed, 1) for allowed in crowd.allowed],
        },
    )


def _growth(name: str, crowd: _Crowd) -> Figure:
    return Figure(
        name=f"{name}: CPU time of a chat",
        baseline=f"with {BUSY} in flight and a model that answers at once",
        value=statistics.median(crowd.growths),
        kind="shown",
        samples=crowd.growths,
        detail={
            "cpu_ms_per_chat": [round(each, 2) for each in crowd.cpu_ms],
            "baseline_cpu_ms_per_chat": [round(each, 2) for each in crowd.few_cpu_ms],
            "cores_used": [round(each, 2) for each in crowd.cores],
        },
    )


def _two_workers(run: Run, address: str) -> list[Figure]:
    rounds, count = run.pick(1, 7), run.pick(200, 1_500)
    with ExitStack() as stack:
        servers = [
            stack.enter_context(_workers(run, n, {"DATABASE_URL": postgres.new_database(address)}))
            for n in (1, 2)
        ]
        for port, _ in servers:
            asyncio.run(at_once(port, 64, 2 * BUSY, _hello))
        taken = [[_carry(*server, count, 2 * BUSY) for server in servers] for _ in range(rounds)]
    rates = [two.rate / one.rate for one, two in taken]
    work = [one.cpu_ms / two.cpu_ms for one, two in taken]
    cores = len(os.sched_getaffinity(0))
    # If a chat costs the same with two workers; where it costs less, they carry more than this.
    allowed = [min(2.0, cores * 1_000 / one.machine_ms / one.rate) for one, _ in taken]
    detail: dict[str, object] = {
        "chats_per_second": [[round(each.rate, 1) for each in pair] for pair in taken],
        "worker_cpu_ms_per_chat": [[round(each.cpu_ms, 2) for each in pair] for pair in taken],
        "machine_cpu_ms_per_chat": [[round(each.machine_ms, 2) for each in pair] for pair in taken],
        "cores": cores,
    }
    return [
        Figure(
            name="two workers, PostgreSQL: throughput",
            baseline="one worker",
            value=statistics.median(rates),
            bar=1.7,
            kind="at least",
            samples=rates,
            gross=False,  # load, database and workers share the cores of a small machine
            detail=detail,
        ),
        Figure(
            name="two workers, PostgreSQL: the most that the machine's cores allow",
            baseline="one worker",
            value=statistics.median(allowed),
            kind="shown",
            samples=allowed,
            detail=detail,
        ),
        Figure(
            name="two workers, PostgreSQL: chats for the same CPU time of the workers",
            baseline="one worker",
            value=statistics.median(work),
            bar=0.85,
            kind="at least",
            samples=work,
            detail=detail,
        ),
    ]


@dataclass(frozen=True)
class _Carried:
    """What some workers carried.

    Attributes:
        rate: chats in a second.
        cpu_ms: the workers' CPU time for one, in milliseconds.
        machine_ms: the same of the whole machine: clients, database and workers.
    """

    rate: float
    cpu_ms: float
    machine_ms: float


def _carry(
    port: int, group: int, count: int, in_flight: int, *, watch_health: bool = False
) -> _Carried:
    before, machine_before = _cpu_seconds(group), _machine_seconds()
    load = asyncio.run(at_once(port, count, in_flight, _hello, watch_health=watch_health))
    if load.failures:
        raise RuntimeError(load.failures[0])
    used, machine = _cpu_seconds(group) - before, _machine_seconds() - machine_before
    return _Carried(load.per_second, used / count * 1_000, machine / count * 1_000)


def _cpu_seconds(group: int) -> float:
    """Return the CPU time of all processes of a group."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(") ")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[2]) == group:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _machine_seconds() -> float:
    """Return the CPU time of all processes, and what other guests of the host took meanwhile."""
    fields = Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:9]
    user, nice, system, _idle, _waiting, interrupts, soft, stolen = map(int, fields)
    ticks = user + nice + system + interrupts + soft + stolen
    return ticks / os.sysconf("SC_CLK_TCK")


async def _hello(connection: Connection, _number: int) -> Any:
    await expect(connection, "/hitl/chat", {"message": "hello", "thread_id": uuid4().hex})


@contextmanager
def _workers(
    run: Run, count: int, environment: dict[str, str], app: str = SERVICE
) -> Iterator[tuple[int, int]]:
    """Serve as the service's image does; give the port and the process group."""
    port = free_port()
    command = [run.python, "-m", "uvicorn", app,
               "--port", str(port), "--workers", str(count)]  # fmt: skip
    with (run.folder / f"workers-{port}.log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            command, cwd=run.folder, env=run.environment(**environment),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            asyncio.run(until_healthy(port))
            yield port, process.pid
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
