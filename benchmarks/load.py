"""Many chats at the same time: throughput beside what CPU allows, and whether /health answers.

What CPU allows is measured, not computed: the same service in the same run, with just enough chats
in flight to keep it busy and a model that takes just long enough to be waited for. A wait costs
CPU time of its own, a thread put to sleep and woken, however few there are; so the same with a
model that answers at once is shown beside it. Whatever else the machine does meanwhile is in all
sides.

The chats begin evenly over one wait for the model. Those that begin at one moment come back
together from each wait, and in between the service has nothing to do, whatever it could do. They
begin like that once, before the rounds: ``/health`` has to answer then too, and no chat may fail.
"""

from __future__ import annotations

import asyncio
import os
import statistics
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from benchmarks import postgres
from benchmarks.figures import Figure
from benchmarks.http_client import Connection, Load, at_once
from benchmarks.subject import free_port, listening
from benchmarks.turn import expect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.settings import Run

IN_FLIGHT = 500
MODEL_SECONDS = 2.0
SERVICE = "benchmarks.subjects.hexa_app:app"
STOCK = "benchmarks.subjects.crowded_stock_app:app"
FEW = 32
FEW_MODEL_SECONDS = 0.04
"""With ``FEW`` in flight: short enough to keep a process busy that takes over a millisecond."""


def measure(run: Run) -> list[Figure]:
    """Load one worker on SQLite and PostgreSQL, then two workers on PostgreSQL."""
    files = (f"sqlite:///{run.folder / f'load-{number}.db'}" for number in count())
    figures = _one_worker(run, "SQLite", files)
    if run.full:
        figures += _stock_in_memory(run)
    if postgres.programs() is not None:
        with postgres.server() as address:
            if run.full:
                databases = (postgres.new_database(address) for _ in count())
                figures += _one_worker(run, "PostgreSQL", databases)
            figures += _two_workers(run, address)
    return figures


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

    def mean_with(self, other: _Carried) -> _Carried:
        """Return what lies half-way between the two."""
        return _Carried(
            (self.rate + other.rate) / 2,
            (self.cpu_ms + other.cpu_ms) / 2,
            (self.machine_ms + other.machine_ms) / 2,
        )


@dataclass(frozen=True)
class _Round:
    """What one worker did in one round.

    Attributes:
        many: with many chats in flight.
        few: with few in flight and a model that is waited for, as much before the many chats as
            after them: so a machine that grows slower or faster meanwhile does so on both sides.
        busy: with few in flight and a model that answers at once.
        load: the chats of ``many``.
        cores: how many cores the worker used for them.
    """

    many: _Carried
    few: _Carried
    busy: _Carried
    load: Load
    cores: float

    def part_of(self, baseline: _Carried, in_flight: int) -> float:
        """Return the throughput as a part of the baseline's; a slow model limits both."""
        return self.many.rate / min(in_flight / MODEL_SECONDS, baseline.rate)


def _rounds(run: Run, app: str, urls: Iterator[str]) -> tuple[list[_Round], Load]:
    """Load one worker of an application; each of its servers has a store of its own.

    Returns:
        The rounds, and many chats that began at one moment before them.
    """
    in_flight = run.pick(100, IN_FLIGHT)
    with ExitStack() as stack:

        def serve(latency: float) -> _Servers:
            environment = {"DATABASE_URL": next(urls), "BENCH_LATENCY_SECONDS": str(latency)}
            return stack.enter_context(_servers(run, 1, environment, app))

        many, few, busy = serve(MODEL_SECONDS), serve(FEW_MODEL_SECONDS), serve(0)
        for servers in (few, busy):
            _warm_up(servers, 2 * FEW)
        burst = _warm_up(many, in_flight)
        rounds = [
            _round(run, many, few, busy, in_flight)  # a round takes them in turns
            for _ in range(run.pick(1, 7))
        ]
        return rounds, burst


def _round(run: Run, many: _Servers, few: _Servers, busy: _Servers, in_flight: int) -> _Round:
    chats = run.pick(200, 1_000)
    few_before, _ = _carry(few, chats, FEW, watch_health=True)
    carried, load = _carry(
        many,
        run.pick(4, 6) * in_flight,
        in_flight,
        watch_health=True,
        may_fail=True,
        begun_over_seconds=MODEL_SECONDS,
    )
    few_after, _ = _carry(few, chats, FEW, watch_health=True)
    busy_carried, _ = _carry(busy, chats, FEW, watch_health=True)
    cores = carried.cpu_ms / 1_000 * load.done / load.seconds
    return _Round(carried, few_before.mean_with(few_after), busy_carried, load, cores)


def _one_worker(run: Run, store: str, urls: Iterator[str]) -> list[Figure]:
    rounds, burst = _rounds(run, SERVICE, urls)
    loads = [burst, *(each.load for each in rounds)]
    health = [seconds for load in loads for seconds in load.health_seconds]
    p99 = statistics.quantiles(health, n=100)[98]
    errors = [failure for load in loads for failure in load.failures]
    name = _name(run, store)
    return [
        *_throughputs(run, name, rounds, bar=0.9),
        *_growths(name, rounds),
        Figure(
            name=f"{name}: cores in use",
            baseline="the one that the interpreter's lock allows",
            value=statistics.median(each.cores for each in rounds),
            kind="shown",
            samples=[each.cores for each in rounds],
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
    rounds, _ = _rounds(run, STOCK, repeat(""))
    name = f"{_name(run, 'memory')}, stock agent behind FastAPI"
    return [*_throughputs(run, name, rounds), *_growths(name, rounds)]


def _name(run: Run, store: str) -> str:
    in_flight = run.pick(100, IN_FLIGHT)
    return f"{in_flight} chats in flight, {MODEL_SECONDS:g}-second model, {store}"


WAITING = f"with {FEW} in flight and a model that is waited for"
AT_ONCE = f"with {FEW} in flight and a model that answers at once"


def _throughputs(
    run: Run, name: str, rounds: list[_Round], bar: float | None = None
) -> list[Figure]:
    in_flight = run.pick(100, IN_FLIGHT)
    waiting = [each.part_of(each.few, in_flight) for each in rounds]
    at_once = [each.part_of(each.busy, in_flight) for each in rounds]
    detail: dict[str, object] = {
        "chats_per_second": [round(each.many.rate, 1) for each in rounds],
        "waiting_baseline_chats_per_second": [round(each.few.rate, 1) for each in rounds],
        "at_once_baseline_chats_per_second": [round(each.busy.rate, 1) for each in rounds],
    }
    return [
        Figure(
            name=f"{name}: throughput",
            baseline=f"what CPU allows {WAITING}",
            value=statistics.median(waiting),
            bar=bar,
            kind="shown" if bar is None else "at least",
            samples=waiting,
            gross=False,  # wall time, and the clients share the machine with the service
            detail=detail,
        ),
        Figure(
            name=f"{name}: throughput",
            baseline=f"what CPU allows {AT_ONCE}",
            value=statistics.median(at_once),
            kind="shown",
            samples=at_once,
            detail=detail,
        ),
    ]


def _growths(name: str, rounds: list[_Round]) -> list[Figure]:
    detail: dict[str, object] = {
        "cpu_ms_per_chat": [round(each.many.cpu_ms, 2) for each in rounds],
        "waiting_baseline_cpu_ms_per_chat": [round(each.few.cpu_ms, 2) for each in rounds],
        "at_once_baseline_cpu_ms_per_chat": [round(each.busy.cpu_ms, 2) for each in rounds],
        "cores_used": [round(each.cores, 2) for each in rounds],
    }
    sides = ((WAITING, [each.few.cpu_ms for each in rounds]),
             (AT_ONCE, [each.busy.cpu_ms for each in rounds]))  # fmt: skip
    figures = []
    for baseline, few in sides:
        ratios = [each.many.cpu_ms / ms for each, ms in zip(rounds, few, strict=True)]
        figures.append(
            Figure(
                name=f"{name}: CPU time of a chat",
                baseline=baseline,
                value=statistics.median(ratios),
                kind="shown",
                samples=ratios,
                detail=detail,
            )
        )
    return figures


def _two_workers(run: Run, address: str) -> list[Figure]:
    """Compare two workers with one: each with a socket of its own, and both on one.

    Replicas behind a proxy that spreads connections are the first; ``uvicorn --workers`` is the
    second: there a worker takes as many waiting connections as it finds, and keeps them.
    """
    chats, in_flight = run.pick(200, 1_500), FEW
    with ExitStack() as stack:

        def serve(workers: int, sockets: int) -> _Servers:
            environment = {"DATABASE_URL": postgres.new_database(address)}
            return stack.enter_context(_servers(run, workers, environment, sockets=sockets))

        kinds = (serve(1, 1), serve(2, 2), serve(2, 1))
        for servers in kinds:
            _warm_up(servers, 2 * in_flight)
        taken = [
            [_carry(servers, chats, in_flight)[0] for servers in kinds]
            for _ in range(run.pick(1, 5))
        ]
    detail: dict[str, object] = {
        "order": ["one", "two", "two on one socket"],
        "chats_per_second": [[round(each.rate, 1) for each in kinds] for kinds in taken],
        "worker_cpu_ms_per_chat": [[round(each.cpu_ms, 2) for each in kinds] for kinds in taken],
        "machine_cpu_ms_per_chat": [
            [round(each.machine_ms, 2) for each in kinds] for kinds in taken
        ],
        "cores": len(os.sched_getaffinity(0)),
    }
    rates = [two.rate / one.rate for one, two, _ in taken]
    shared = [two.rate / one.rate for one, _, two in taken]
    work = [one.cpu_ms / two.cpu_ms for one, two, _ in taken]
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
            name="two workers on one socket, PostgreSQL: throughput",
            baseline="one worker",
            value=statistics.median(shared),
            kind="shown",
            samples=shared,
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
class _Servers:
    """Workers of one application.

    Attributes:
        ports: connections are spread evenly over them.
        groups: the process groups.
    """

    ports: tuple[int, ...]
    groups: tuple[int, ...]

    def cpu_seconds(self) -> float:
        """Return the CPU time that the workers have taken so far."""
        return sum(map(_cpu_seconds, self.groups))


def _warm_up(servers: _Servers, chats: int) -> Load:
    return asyncio.run(at_once(servers.ports, chats, chats, _hello, watch_health=True))


def _carry(
    servers: _Servers,
    chats: int,
    in_flight: int,
    *,
    watch_health: bool = False,
    may_fail: bool = False,
    begun_over_seconds: float = 0.0,
) -> tuple[_Carried, Load]:
    """Hold chats on the servers.

    Raises:
        RuntimeError: a chat failed, and none may.
    """
    before, machine_before = servers.cpu_seconds(), _machine_seconds()
    load = asyncio.run(
        at_once(
            servers.ports,
            chats,
            in_flight,
            _hello,
            watch_health=watch_health,
            begun_over_seconds=begun_over_seconds,
        )
    )
    if load.failures and not may_fail:
        raise RuntimeError(load.failures[0])
    used, machine = servers.cpu_seconds() - before, _machine_seconds() - machine_before
    return _Carried(load.per_second, used / chats * 1_000, machine / chats * 1_000), load


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
def _servers(
    run: Run, workers: int, environment: dict[str, str], app: str = SERVICE, *, sockets: int = 1
) -> Iterator[_Servers]:
    """Serve with so many workers, evenly on so many sockets."""
    with ExitStack() as stack:
        each = [
            stack.enter_context(_server(run, workers // sockets, environment, app))
            for _ in range(sockets)
        ]
        yield _Servers(tuple(port for port, _ in each), tuple(group for _, group in each))


@contextmanager
def _server(
    run: Run, workers: int, environment: dict[str, str], app: str
) -> Iterator[tuple[int, int]]:
    """Serve as the service's image does; give the port and the process group."""
    port = free_port()
    command = [run.python, "-m", "uvicorn", app,
               "--port", str(port), "--workers", str(workers)]  # fmt: skip
    with listening(run, command, port, environment=environment) as group:
        yield port, group
