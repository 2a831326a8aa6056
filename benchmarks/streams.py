"""Streams: how long a token is on its way, alone and among many, and whether /health answers.

The model says the time as its tokens, and all processes of a machine have one clock, so the delay
is measured from the model's mouth to the client's ear.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from benchmarks.figures import Figure
from benchmarks.http_client import Connection
from benchmarks.turn import served

if TYPE_CHECKING:
    from benchmarks.settings import Run

OPEN_STREAMS = 200
FIRST_TOKEN_MS = 50.0
HEALTH_MS = 100.0
TICK_SECONDS = 0.5


@dataclass(frozen=True)
class Sample:
    """A time in milliseconds, and the moment at which it was measured."""

    moment: float
    milliseconds: float


@dataclass
class Stream:
    """What a client saw of one stream: the delay of each token, and whether its end came."""

    delays: list[Sample] = field(default_factory=list)
    done: bool = False


def measure(run: Run) -> list[Figure]:
    """Measure one stream at a time, then many at once."""
    return [_alone(run), *_together(run)]


def _alone(run: Run) -> Figure:
    count = run.pick(20, 200)
    environment = {"DATABASE_URL": f"sqlite:///{run.folder / 'alone.db'}"}
    with served(run, "benchmarks.subjects.ticking_app:app", environment) as service:
        asyncio.run(_one_after_another(service.port, 3))
        streams = asyncio.run(_one_after_another(service.port, count))
    delays = [stream.delays[0].milliseconds for stream in streams]
    return Figure(
        name="first token, one stream at a time",
        baseline=f"{FIRST_TOKEN_MS:g} ms",
        value=statistics.median(delays) / FIRST_TOKEN_MS,
        bar=1.0,
        samples=[delay / FIRST_TOKEN_MS for delay in delays],
        detail={"median_ms": statistics.median(delays), "slowest_ms": max(delays)},
        gross=False,
    )


def _together(run: Run) -> list[Figure]:
    ticks = run.pick(40, 120)
    environment = {
        "DATABASE_URL": f"sqlite:///{run.folder / 'together.db'}",
        "BENCH_TICKS": str(ticks),
        "BENCH_TICK_SECONDS": str(TICK_SECONDS),
    }
    with served(run, "benchmarks.subjects.ticking_app:app", environment) as service:
        asyncio.run(_idle(service.port, 10))
        idle = asyncio.run(_idle(service.port, run.pick(40, 200)))
        streams, health = asyncio.run(_all_at_once(service.port, OPEN_STREAMS))
    alive = [s for s in streams if s.done and len(s.delays) == ticks]
    all_open = max(stream.delays[0].moment for stream in streams)
    first_end = min(stream.delays[-1].moment for stream in streams)
    if first_end < all_open:
        raise RuntimeError("the first stream ended before the last one began")
    delays = [d.milliseconds for s in streams for d in s.delays if all_open < d.moment < first_end]
    opening = [h.milliseconds for h in health if h.moment < all_open]
    while_open = [h.milliseconds for h in health if all_open < h.moment < first_end]
    name = f"{OPEN_STREAMS} open streams"
    return [
        Figure(
            name=f"{name}: read to their end",
            baseline="all of them",
            value=len(alive) / OPEN_STREAMS,
            bar=1.0,
            kind="at least",
            detail={"token_median_ms": statistics.median(delays), "token_p99_ms": _p99(delays)},
        ),
        Figure(
            name=f"{name}: /health p99",
            baseline=f"{HEALTH_MS:g} ms",
            value=_p99(while_open) / HEALTH_MS,
            bar=1.0,
            detail={
                "median_ms": statistics.median(while_open),
                "slowest_ms": max(while_open),
                "p99_while_they_open_ms": _p99(opening),
            },
            gross=False,  # the clients share the machine's processors with the service
        ),
        Figure(
            name=f"{name}: /health median",
            baseline="the same service, idle",
            value=statistics.median(while_open) / statistics.median(idle),
            kind="shown",
            detail={"idle_median_ms": statistics.median(idle), "idle_p99_ms": _p99(idle)},
        ),
    ]


def _p99(samples: list[float]) -> float:
    return statistics.quantiles(samples, n=100)[98]


async def _one_after_another(port: int, count: int) -> list[Stream]:
    return [await _read_stream(port, Stream()) for _ in range(count)]


async def _idle(port: int, count: int) -> list[float]:
    async with Connection(port) as connection:
        return [(await _ask_health(connection)).milliseconds for _ in range(count)]


async def _all_at_once(port: int, count: int) -> tuple[list[Stream], list[Sample]]:
    streams = [Stream() for _ in range(count)]
    health: list[Sample] = []
    watcher = asyncio.create_task(_watch_health(port, health))
    await asyncio.gather(*(_read_stream(port, stream) for stream in streams))
    watcher.cancel()
    return streams, health


async def _read_stream(port: int, stream: Stream) -> Stream:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"message": "hello"}).encode()
    head = (
        "POST /chat/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    writer.write(head.encode() + body)
    # Each event is a chunk of its own, so a line of data is never cut in two.
    async for line in reader:
        if line.startswith(b"data:"):
            _take(stream, json.loads(line[5:]), time.monotonic_ns())
    writer.close()
    return stream


def _take(stream: Stream, event: dict[str, str], now: int) -> None:
    if event["type"] == "token" and event["text"].strip():
        delay = (now - int(event["text"])) / 1_000_000
        stream.delays.append(Sample(now / 1_000_000_000, delay))
    stream.done = stream.done or event["type"] == "done"


async def _watch_health(port: int, seen: list[Sample]) -> None:
    async with Connection(port) as connection:
        while True:
            seen.append(await _ask_health(connection))
            await asyncio.sleep(0.05)


async def _ask_health(connection: Connection) -> Sample:
    start = time.monotonic()
    status, _ = await connection.ask("GET", "/health")
    if status != 200:
        raise RuntimeError(f"/health: {status}")
    return Sample(start, (time.monotonic() - start) * 1_000)
