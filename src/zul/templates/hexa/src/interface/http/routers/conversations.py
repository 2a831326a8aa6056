"""The endpoints that every agent has; each agent's module adds them to its own routers."""

from typing import Annotated

from fastapi import APIRouter, Depends
from sse_starlette import EventSourceResponse

from src.application.ports.conversation_stores import ConversationStores
from src.application.usecases.conversations import ConversationsUseCase
from src.interface.http.building import BuiltOnce, Provided
from src.interface.http.controllers import threads
from src.interface.http.controllers.threads import ThreadResponse
from src.interface.http.errors import NOT_FOUND, REFUSED
from src.interface.http.fields import ThreadId
from src.interface.http.routing import BodyFirstRoute, GetStores, conversation_route
from src.interface.http.streams.responses import STREAM, LastEventId, follow_stream


def agent_router(prefix: str, tag: str, get_stores: GetStores) -> APIRouter:
    """Return a router for endpoints that answer with JSON and honour idempotency keys."""
    return APIRouter(
        prefix=prefix, tags=[tag], responses=REFUSED, route_class=conversation_route(get_stores)
    )


def stream_router(prefix: str, tag: str) -> APIRouter:
    """Return a router for endpoints that answer with server-sent events."""
    return APIRouter(
        prefix=prefix,
        tags=[tag],
        responses={**REFUSED, **STREAM},
        default_response_class=EventSourceResponse,
        route_class=BodyFirstRoute,
    )


def add_thread_endpoints(
    router: APIRouter, get_conversations: BuiltOnce[ConversationsUseCase]
) -> None:
    """Add ``GET`` and ``DELETE /threads/{thread_id}``."""
    conversations = Depends(Provided(get_conversations))

    @router.get("/threads/{thread_id:path}", responses=NOT_FOUND)
    def show_thread(
        thread_id: ThreadId, usecase: Annotated[ConversationsUseCase, conversations]
    ) -> ThreadResponse:
        """Look back into a conversation."""
        return threads.show(thread_id, usecase)

    @router.delete("/threads/{thread_id:path}", status_code=204, responses=NOT_FOUND)
    def erase_thread(
        thread_id: ThreadId, usecase: Annotated[ConversationsUseCase, conversations]
    ) -> None:
        """Erase a conversation everywhere it is stored."""
        threads.erase(thread_id, usecase)


def add_run_endpoint(streams: APIRouter, get_stores: GetStores) -> None:
    """Add ``GET /runs/{run_id}/stream``."""

    @streams.get("/runs/{run_id}/stream", responses=NOT_FOUND)
    async def follow_run(
        run_id: str,
        stores: Annotated[ConversationStores, Depends(get_stores)],
        last_event_id: LastEventId = 0,
    ) -> EventSourceResponse:
        """Read on in a stream that was lost; ``Last-Event-ID`` says where."""
        return await follow_stream(run_id, last_event_id, stores)
