"""Starts streamed turns, keeps them going when their client leaves, and finds them again.

Rules of this module:

- A run has a thread of its own and does what the endpoint without streaming does.
- What is refused before the agent begins is an ordinary HTTP error, not a stream.
- A client reads from this process while the run is here, else from the run log.
- Events are written to the log by one thread for all runs: if each run did it by itself, tokens
  would wait for the database, and many runs for each other.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from uuid import uuid4

from starlette.concurrency import run_in_threadpool

from src.application.errors import ConversationNotFoundError
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.conversation_stores import ConversationStores
from src.application.ports.run_log import Run, RunEvent
from src.interface.http.streams.far_runs import follow_log
from src.interface.http.streams.live_run import LiveRun
from src.interface.http.streams.taking import TakeTurn, take

KEEP_SECONDS = 0.25
"""How long events of a run may be known to this process alone, while the database keeps up."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a stream is asked for.

    Attributes:
        key: the client's idempotency key, qualified by the endpoint; the same key finds the same
            run.
        fingerprint: a digest of the request.
    """

    thread_id: str
    fingerprint: str
    key: str | None = None


class RunMismatchError(Exception):
    """The idempotency key was used for another request."""


class Runs:
    """The runs of one process."""

    def __init__(self) -> None:
        self._live: dict[str, LiveRun] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._keeper: asyncio.Task[None] | None = None

    async def start(
        self, request: RunRequest, stores: ConversationStores, take_turn: TakeTurn
    ) -> str:
        """Start a run, wait until its agent begins, and return its id.

        A request with a key that started a run before waits for that run and returns its id.

        Raises:
            RunMismatchError: the key was used for another request.
            Exception: whatever ends the turn before its agent begins.
        """
        run_id = _run_id(request)
        run = Run(run_id=run_id, thread_id=request.thread_id, fingerprint=request.fingerprint)
        while not await run_in_threadpool(stores.runs.start, run):
            earlier = await run_in_threadpool(stores.runs.find, run_id)
            if earlier is None:
                continue  # it was refused just now, and its key is free again
            if earlier.fingerprint != request.fingerprint:
                raise RunMismatchError
            if run_id in self._live:
                await self._live[run_id].started()
            return run_id
        live = LiveRun(run, stores.runs, asyncio.get_running_loop())
        self._live[run_id] = live
        task = asyncio.create_task(self._run(live, take_turn, stores.lock))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.create_task(self._keep_events())
        await live.started()
        return run_id

    async def _run(self, live: LiveRun, take_turn: TakeTurn, lock: ConversationLock) -> None:
        try:
            await run_in_threadpool(take, live, take_turn, lock)
        finally:
            # One that was refused may have a successor under its key by now.
            if self._live.get(live.run.run_id) is live:
                del self._live[live.run.run_id]

    async def _keep_events(self) -> None:
        while self._live:
            await asyncio.sleep(KEEP_SECONDS)
            await run_in_threadpool(_keep, list(self._live.values()))

    async def follow(
        self, run_id: str, after: int, stores: ConversationStores
    ) -> AsyncIterator[RunEvent]:
        """Yield the events with numbers above ``after`` until the run is over.

        Raises:
            ConversationNotFoundError: no such run is kept.
        """
        live = self._live.get(run_id)
        if live is not None:
            return live.follow(after)
        run = await run_in_threadpool(stores.runs.find, run_id)
        if run is None:
            raise ConversationNotFoundError
        return follow_log(run, after, stores)

    async def drain(self, seconds: float) -> None:
        """Wait for the runs of this process to end, at most so long."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)


def _keep(runs: Iterable[LiveRun]) -> None:
    for live in runs:
        live.keep()


def _run_id(request: RunRequest) -> str:
    if request.key is None:
        return uuid4().hex
    return hashlib.sha256(request.key.encode()).hexdigest()[:32]
