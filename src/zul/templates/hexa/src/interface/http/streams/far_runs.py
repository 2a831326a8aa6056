"""Follows runs of other processes in the log, and finds those whose process died.

While a run is at work it holds a lock of its own, so a silent one whose lock is free is dead. Its
conversation is not asked: that would refuse a request that comes at that moment.
"""

import asyncio
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool

from src.application.errors import ConversationBusyError
from src.application.ports.conversation_stores import ConversationStores
from src.application.ports.run_log import Run, RunEvent, run_lock
from src.interface.http.streams.events import Done, Failed

POLL_SECONDS = 0.2
"""How often the log is asked for news of a run in another process."""

SILENT_POLLS = 2
"""How often a run must be found silent, its lock free, to count as dead. Once is not enough: its
last events may have come between the two looks."""

SILENT_POLLS_BEFORE_BEGIN = 25
"""The same for a run without events, which may still wait for a worker thread."""

CUT_OFF_DETAIL = "Server berhenti di tengah jalan. Kirim pesan yang sama lagi untuk melanjutkan."


async def follow_log(run: Run, after: int, stores: ConversationStores) -> AsyncIterator[RunEvent]:
    """Yield the events with numbers above ``after`` until the run is over, or found dead."""
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
    """Tell whether nobody is running it: a run that has begun holds its lock."""
    try:
        with stores.lock.hold(run_lock(run.run_id), wait_seconds=0):
            return True
    except ConversationBusyError:
        return False


def _bury(run: Run, stores: ConversationStores) -> None:
    """Write the end that a dead run could not write, or it would count as running for a day."""
    try:
        with stores.lock.hold(run_lock(run.run_id), wait_seconds=0):
            current = stores.runs.find(run.run_id)
            if current is None or current.finished:
                return
            kept = stores.runs.read(run.run_id, 0)
            stores.runs.append(run.run_id, _cut_off(kept[-1].number if kept else 0))
            stores.runs.finish(run.run_id)
    except ConversationBusyError:
        return  # another reader does it, or the run has begun after all


def _cut_off(after: int) -> list[RunEvent]:
    """Return how a run ends whose process died."""
    failed = Failed(detail=CUT_OFF_DETAIL, code="internal", request_id="")
    return [
        RunEvent(number=after + 1, type=failed.type, data=failed.model_dump()),
        RunEvent(number=after + 2, type="done", data=Done().model_dump()),
    ]
