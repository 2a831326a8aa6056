import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from fastapi import Header, Request
from pydantic import BeforeValidator, Field
from sse_starlette import EventSourceResponse, ServerSentEvent

from src.application.ports.conversation_stores import ConversationStores
from src.application.ports.run_log import RunEvent
from src.interface.http.idempotency import HEADER, key_of_another_request, qualified_key
from src.interface.http.openapi import EVENT_STREAM
from src.interface.http.streams.events import StreamEvent
from src.interface.http.streams.runs import RunMismatchError, RunRequest, Runs
from src.interface.http.streams.taking import TakeTurn

HEARTBEAT_SECONDS = 15


def _absent_if_empty(number: object) -> object:
    """Take an empty header for none: what clients send that have seen no event."""
    return 0 if number == "" else number


LastEventId = Annotated[
    int,
    Field(ge=0, le=2**31 - 1),  # what the run log's column holds
    BeforeValidator(_absent_if_empty),  # behind the bounds, or the schema would not show them
    Header(alias="Last-Event-ID", description="The number of the last event received"),
]

STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "model": StreamEvent,
        "content": {EVENT_STREAM: {}},
        "description": "Server-sent events; each one is described by StreamEvent",
    }
}
"""The body that every stream endpoint documents."""


@lru_cache
def get_runs() -> Runs:
    """Return the runs of this process."""
    return Runs()


@dataclass(frozen=True, slots=True)
class StreamedTurn:
    """A turn that is ready to be taken while a client watches."""

    thread_id: str
    stores: ConversationStores
    take: TakeTurn


async def start_stream(request: Request, turn: StreamedTurn) -> EventSourceResponse:
    """Take a turn and answer with its events.

    Raises:
        HTTPException: 400 for an unusable idempotency key, 422 when it was used for another
            request.
    """
    has_key = HEADER in request.headers
    run_request = RunRequest(
        thread_id=turn.thread_id,
        fingerprint=hashlib.sha256(await request.body()).hexdigest(),
        key=qualified_key(request) if has_key else None,
    )
    try:
        run_id = await get_runs().start(run_request, turn.stores, turn.take)
    except RunMismatchError:
        raise key_of_another_request() from None
    return await follow_stream(run_id, 0, turn.stores)


async def follow_stream(run_id: str, after: int, stores: ConversationStores) -> EventSourceResponse:
    """Answer with the events of a run that come after a number.

    Raises:
        ConversationNotFoundError: no such run is kept.
    """
    events = await get_runs().follow(run_id, after, stores)
    return EventSourceResponse(_as_sent(events), ping=HEARTBEAT_SECONDS, sep="\n")


async def _as_sent(events: AsyncIterator[RunEvent]) -> AsyncIterator[ServerSentEvent]:
    async for event in events:
        yield ServerSentEvent(
            data=json.dumps(event.data, ensure_ascii=False),
            event=event.type,
            id=str(event.number),
            sep="\n",
        )
