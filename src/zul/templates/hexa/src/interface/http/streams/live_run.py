import asyncio
import logging
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

from src.application.ports.run_log import Run, RunEvent, RunLog
from src.interface.http.streams.events import Event, RunStarted

logger = logging.getLogger(__name__)


class LiveRun:
    """A run of this process: its thread writes, any number of clients read along.

    Args:
        run: what is run.
        log: keeps the events for clients that come later or to another process.
        loop: where the clients are served.
    """

    def __init__(self, run: Run, log: RunLog, loop: asyncio.AbstractEventLoop) -> None:
        self.run = run
        self._log = log
        self._loop = loop
        self._guard = threading.Lock()
        self._keeping = threading.Lock()
        self._events: list[RunEvent] = []
        self._kept = 0
        self._finished = False
        self._failure: Exception | None = None
        self._readers: set[asyncio.Event] = set()

    def emit(self, event: Event) -> None:
        """Add an event; ``run_started`` goes in front of the first one."""
        if not self._events:
            self._add(RunStarted(thread_id=self.run.thread_id, run_id=self.run.run_id))
        self._add(event)

    def _add(self, event: Event) -> None:
        with self._guard:
            number = len(self._events) + 1
            data = event.model_dump(mode="json")
            self._events.append(RunEvent(number=number, type=event.type, data=data))
        self._wake_readers()

    @property
    def has_started(self) -> bool:
        """Tell whether the agent has begun."""
        return bool(self._events)

    @property
    def is_over(self) -> bool:
        """Tell whether no event will follow."""
        return self._finished

    def finish(self) -> None:
        """Note that no event will follow."""
        self.keep(finished=True)
        self._end(None)

    def refuse(self, failure: Exception) -> None:
        """Note that the run ended before it started; its id may be used again."""
        try:
            self._log.discard(self.run.run_id)
        except Exception:  # whoever waits for the run is told all the same
            logger.exception("The refused run %s could not be discarded", self.run.run_id)
        self._end(failure)

    def _end(self, failure: Exception | None) -> None:
        with self._guard:
            self._finished = True
            self._failure = failure
        self._wake_readers()

    def keep(self, *, finished: bool = False) -> None:
        """Write the newest events to the log.

        Nothing is raised: without a store, or with an event that it does not take, the turn goes
        on, and who reads along gets the events. What was not written is tried again with the next.
        """
        with self._keeping:
            with self._guard:
                events = self._events[self._kept :]
            try:
                if events:
                    self._log.append(self.run.run_id, events)
                    self._kept += len(events)
                if finished:
                    self._log.finish(self.run.run_id)
            except Exception:
                logger.exception("Events of run %s could not be kept", self.run.run_id)

    def _wake_readers(self) -> None:
        with self._guard:
            readers = list(self._readers)
        # A loop that was closed has no readers any more, but its last turns may still be at work.
        with suppress(RuntimeError):
            for reader in readers:
                self._loop.call_soon_threadsafe(reader.set)

    async def started(self) -> None:
        """Wait for the first event.

        Raises:
            Exception: what ended the run before it started.
        """
        async with aclosing(self.follow(0)) as events:
            async for _ in events:
                return
        if self._failure is not None:
            raise self._failure

    async def follow(self, after: int) -> AsyncGenerator[RunEvent]:
        """Yield the events with numbers above ``after`` as they come, until the run is over."""
        news = asyncio.Event()
        with self._guard:
            self._readers.add(news)
        try:
            while True:
                news.clear()
                with self._guard:
                    events, finished = self._events[after:], self._finished
                for event in events:
                    yield event
                after += len(events)
                if finished and not events:
                    return
                if not events:
                    await news.wait()
        finally:
            with self._guard:
                self._readers.discard(news)
