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
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from uuid import uuid4

from starlette.concurrency import run_in_threadpool

from src.application.conversation import Watcher
from src.application.errors import ConversationBusyError, ConversationNotFoundError
from src.application.ports.conversation_stores import ConversationStores
from src.application.ports.run_log import Run, RunEvent
from src.application.turns import ChatTurn
from src.interface.http.errors import failure_of, log_failure
from src.interface.http.streams.events import (
    Answered,
    Done,
    Failed,
    ReviewPending,
)
from src.interface.http.streams.live_run import LiveRun
from src.interface.http.streams.translator import EventTranslator

KEEP_SECONDS = 0.25
"""How long events of a run may be known to this process alone, while the database keeps up."""

POLL_SECONDS = 0.2
"""How often the log is asked for news of a run in another process."""

SILENT_POLLS = 2
"""How often a run must be found silent, its conversation free, to count as dead. Once is not
enough: a run lets go of its conversation before it writes its last events."""

SILENT_POLLS_BEFORE_BEGIN = 25
"""The same for a run without events, which may still wait for a worker thread."""

CUT_OFF_DETAIL = "Server berhenti di tengah jalan. Kirim pesan yang sama lagi untuk melanjutkan."

TakeTurn = Callable[[Watcher], ChatTurn]
"""Takes a turn while a watcher sees it come about."""


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
        task = asyncio.create_task(self._run(live, take_turn))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.create_task(self._keep_events())
        await live.started()
        return run_id

    async def _run(self, live: LiveRun, take_turn: TakeTurn) -> None:
        try:
            await run_in_threadpool(_take, live, take_turn)
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
        return _follow_log(run, after, stores)

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


def _take(live: LiveRun, take_turn: TakeTurn) -> None:
    """Take the turn in a worker thread and tell the readers how it ended."""
    try:
        turn = take_turn(EventTranslator(live.emit))
    except Exception as error:  # noqa: BLE001  # `started` raises it again
        if not live.has_started:
            live.refuse(error)
            return
        log_failure(error)
        live.emit(Failed(**failure_of(error).model_dump()))
    else:
        _emit_end(live, turn)
    live.emit(Done())
    live.finish()


def _emit_end(live: LiveRun, turn: ChatTurn) -> None:
    if turn.pending_review is not None:
        live.emit(
            ReviewPending.model_validate(
                {"pending_review": turn.pending_review, "review_id": turn.review_id}
            )
        )
    else:
        live.emit(Answered(answer=turn.answer or ""))


async def _follow_log(run: Run, after: int, stores: ConversationStores) -> AsyncIterator[RunEvent]:
    silent_polls = 0
    while True:
        # The run first, its events second: what a finished run said is complete.
        current = await run_in_threadpool(stores.runs.find, run.run_id)
        events = await run_in_threadpool(stores.runs.read, run.run_id, after)
        for event in events:
            yield event
            after = event.number
        if not events and (current is None or current.finished):
            return
        abandoned = not events and await run_in_threadpool(_is_abandoned, run, stores)
        silent_polls = silent_polls + 1 if abandoned else 0
        if silent_polls >= (SILENT_POLLS if after else SILENT_POLLS_BEFORE_BEGIN):
            await run_in_threadpool(_bury, run, stores)
            for event in _cut_off(after):
                yield event
            return
        await asyncio.sleep(POLL_SECONDS)


def _is_abandoned(run: Run, stores: ConversationStores) -> bool:
    """Tell whether nobody is running it: a run that has begun holds its conversation."""
    try:
        with stores.lock.hold(run.thread_id, wait_seconds=0):
            return True
    except ConversationBusyError:
        return False


def _bury(run: Run, stores: ConversationStores) -> None:
    """Write the end that a dead run could not write, or it would count as running for a day."""
    try:
        with stores.lock.hold(run.thread_id, wait_seconds=0):
            current = stores.runs.find(run.run_id)
            if current is None or current.finished:
                return
            kept = stores.runs.read(run.run_id, 0)
            stores.runs.append(run.run_id, _cut_off(kept[-1].number if kept else 0))
            stores.runs.finish(run.run_id)
    except ConversationBusyError:
        return  # the conversation goes on; the next reader finds it free


def _cut_off(after: int) -> list[RunEvent]:
    """Return how a run ends whose process died."""
    failed = Failed(detail=CUT_OFF_DETAIL, code="internal", request_id="")
    return [
        RunEvent(number=after + 1, type=failed.type, data=failed.model_dump()),
        RunEvent(number=after + 2, type="done", data=Done().model_dump()),
    ]
