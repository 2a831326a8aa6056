"""A small HTTP client on asyncio: it should cost little beside what is measured."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

ANSWER_TIMEOUT_SECONDS = 180.0


class Connection:
    """One connection that is kept open."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._streams is not None:
            self._streams[1].close()

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request and return status and JSON body."""
        async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
            return await self._ask(method, path, body)

    async def _ask(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        data = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
            f"content-length: {len(data)}\r\n\r\n"
        )
        writer.write(head.encode() + data)
        header = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        status = int(header.split(" ", 2)[1])
        answer = await _body(reader, header)
        return status, json.loads(answer) if answer else None


async def _body(reader: asyncio.StreamReader, header: str) -> bytes:
    fields = dict(line.split(":", 1) for line in header.split("\r\n")[1:] if ":" in line)
    if "content-length" in fields:
        return await reader.readexactly(int(fields["content-length"]))
    parts = []
    while size := int(await reader.readline(), 16):
        parts.append((await reader.readexactly(size + 2))[:-2])
    await reader.readline()
    return b"".join(parts)


@dataclass
class Load:
    """What became of many requests.

    The first and the last request of each connection are not part of the throughput: then the
    others have not begun, or have ended, and the service has less to do.
    """

    seconds: float = 0.0
    done: int = 0
    full_from: float = 0.0
    full_seconds: float = 0.0
    full_done: int = 0
    failures: list[str] = field(default_factory=list)
    health_seconds: list[float] = field(default_factory=list)

    def note_one(self, count: int, in_flight: int) -> None:
        """Note that one more of ``count`` requests has been answered."""
        self.done += 1
        if self.done == in_flight:
            self.full_from = time.perf_counter()
        elif in_flight < self.done <= count - in_flight:
            self.full_done += 1
            self.full_seconds = time.perf_counter() - self.full_from

    @property
    def per_second(self) -> float:
        """Return the throughput while all the connections were in use."""
        return self.full_done / self.full_seconds


async def until_healthy(
    port: int, path: str, has_ended: Callable[[], bool], seconds: float = 60.0
) -> None:
    """Wait until a server answers.

    Raises:
        TimeoutError: it does not, or it has ended.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            async with Connection(port) as connection:
                await connection.ask("GET", path)
                return
        except (OSError, asyncio.IncompleteReadError):
            if has_ended() or time.monotonic() > deadline:
                raise TimeoutError(path) from None
            await asyncio.sleep(0.02)


async def one_after_another(
    port: int, count: int, chat: Callable[[Connection, int], Awaitable[None]]
) -> None:
    """Hold ``count`` chats, one after another, over one connection."""
    async with Connection(port) as connection:
        for number in range(count):
            await chat(connection, number)


async def at_once(
    ports: Sequence[int],
    count: int,
    in_flight: int,
    chat: Callable[[Connection, int], Awaitable[None]],
    *,
    watch_health: bool = False,
    begun_over_seconds: float = 0.0,
) -> Load:
    """Hold ``count`` chats, ``in_flight`` of them at any moment, spread evenly over ``ports``.

    The first of them begin evenly over ``begun_over_seconds``: those that begin at one moment come
    back together from each wait for a model, and leave the service nothing to do in between.
    """
    load = Load()
    numbers = iter(range(count))
    over = asyncio.Event()

    async def client(client_number: int) -> None:
        await asyncio.sleep(begun_over_seconds * client_number / in_flight)
        async with Connection(ports[client_number % len(ports)]) as connection:
            for number in numbers:
                try:
                    await chat(connection, number)
                    load.note_one(count, in_flight)
                except Exception as error:  # noqa: BLE001 - counted and reported
                    load.failures.append(repr(error))

    async def watch() -> None:
        async with Connection(ports[0]) as connection:
            while not over.is_set():
                start = time.perf_counter()
                await connection.ask("GET", "/health")
                load.health_seconds.append(time.perf_counter() - start)
                await asyncio.sleep(0.02)

    watcher = asyncio.create_task(watch()) if watch_health else None
    start = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(in_flight)))
    load.seconds = time.perf_counter() - start
    over.set()
    if watcher is not None:
        await watcher
    return load
