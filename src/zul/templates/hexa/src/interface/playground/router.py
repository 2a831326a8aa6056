from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from sse_starlette import EventSourceResponse

from src.application.ports.conversation_stores import ConversationStores
from src.interface.http.controllers.threads import ThreadResponse
from src.interface.http.errors import NOT_FOUND, REFUSED, Refusal
from src.interface.http.fields import ThreadId
from src.interface.http.idempotency import KEYED
from src.interface.http.streams.responses import (
    STREAM,
    LastEventId,
    StreamedTurn,
    follow_stream,
    start_stream,
)
from src.interface.playground import controller, inspection
from src.interface.playground.controller import (
    FeatureResponse,
    PlaygroundMessage,
    PlaygroundResume,
    PlaygroundTurn,
)
from src.interface.playground.inspection import GraphResponse, ToolResponse
from src.interface.playground.opening import existing_feature

router = APIRouter(
    prefix="/playground",
    tags=["playground"],
    responses={
        **REFUSED,
        **NOT_FOUND,
        503: {"model": Refusal, "description": "The feature cannot be built"},
    },
)

FeatureName = Annotated[str, Query(alias="feature")]


@router.get("/features")
def list_features() -> list[FeatureResponse]:
    """List what can be tried."""
    return controller.list_features()


@router.post("/messages")
def send_message(request: PlaygroundMessage) -> PlaygroundTurn:
    """Send a message and see every step."""
    return controller.send_message(request)


@router.post("/resume")
def resume(request: PlaygroundResume) -> PlaygroundTurn:
    """Answer a pause and see every step."""
    return controller.resume(request)


@router.get("/graph")
def draw_graph(feature: FeatureName) -> GraphResponse:
    """Describe the graph of a feature's agent."""
    return inspection.draw(feature)


@router.get("/tools")
def list_tools(feature: FeatureName) -> list[ToolResponse]:
    """Describe the tools whose calls a person may be asked to approve."""
    return inspection.list_tools(feature)


@router.get("/threads/{thread_id:path}")
def show_thread(thread_id: ThreadId, feature: FeatureName) -> ThreadResponse:
    """Look back into a conversation with a feature's agent."""
    return inspection.show_thread(feature, thread_id)


@router.delete("/threads/{thread_id:path}", status_code=204)
def erase_thread(thread_id: ThreadId, feature: FeatureName) -> None:
    """Erase a conversation with a feature's agent."""
    inspection.erase_thread(feature, thread_id)


# Synchronous: the first use of a store may create its schema.
def _message_turn(body: PlaygroundMessage) -> StreamedTurn:
    return controller.stream_message(body)


def _resumed_turn(body: PlaygroundResume) -> StreamedTurn:
    return controller.stream_resume(body)


@router.post(
    "/messages/stream",
    response_class=EventSourceResponse,
    responses=STREAM,
    openapi_extra=KEYED,
)
async def stream_message(
    request: Request, turn: Annotated[StreamedTurn, Depends(_message_turn)]
) -> EventSourceResponse:
    """Send a message and watch the turn as server-sent events."""
    return await start_stream(request, turn)


@router.post(
    "/resume/stream",
    response_class=EventSourceResponse,
    responses=STREAM,
    openapi_extra=KEYED,
)
async def stream_resume(
    request: Request, turn: Annotated[StreamedTurn, Depends(_resumed_turn)]
) -> EventSourceResponse:
    """Answer a pause and watch the rest of the turn."""
    return await start_stream(request, turn)


def _stores(feature: FeatureName) -> ConversationStores:
    return existing_feature(feature).stores()


@router.get("/runs/{run_id}/stream", response_class=EventSourceResponse, responses=STREAM)
async def follow_run(
    run_id: str,
    stores: Annotated[ConversationStores, Depends(_stores)],
    last_event_id: LastEventId = 0,
) -> EventSourceResponse:
    """Read on in a stream that was lost; ``Last-Event-ID`` says where."""
    return await follow_stream(run_id, last_event_id, stores)
