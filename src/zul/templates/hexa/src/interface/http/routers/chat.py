from typing import Annotated

from fastapi import APIRouter, Depends, Request
from sse_starlette import EventSourceResponse

from src.application.usecases.chat import ChatUseCase
from src.application.usecases.conversations import ConversationsUseCase
from src.interface.http.building import Provided
from src.interface.http.controllers import chat_controller, threads
from src.interface.http.controllers.chat_controller import ChatRequest, ChatResponse
from src.interface.http.controllers.threads import ThreadResponse
from src.interface.http.errors import NOT_FOUND, REFUSED
from src.interface.http.fields import ThreadId, new_thread_id
from src.interface.http.idempotency import KEYED, REPLAYED
from src.interface.http.routing import BodyFirstRoute, conversation_route
from src.interface.http.streams.responses import STREAM, LastEventId, follow_stream, start_stream

router = APIRouter(
    prefix="/chat",
    tags=["chat"],
    responses=REFUSED,
    route_class=conversation_route(chat_controller.get_chat_stores),
)

streams = APIRouter(
    prefix="/chat",
    tags=["chat"],
    responses={**REFUSED, **STREAM},
    default_response_class=EventSourceResponse,
    route_class=BodyFirstRoute,
)

UseCase = Annotated[ChatUseCase, Depends(Provided(chat_controller.get_chat_usecase))]
Conversations = Annotated[
    ConversationsUseCase, Depends(Provided(chat_controller.get_chat_conversations))
]


@router.post("", openapi_extra=REPLAYED)
def chat(
    request: ChatRequest,
    usecase: UseCase,
) -> ChatResponse:
    """Send a message to the ReAct agent."""
    return chat_controller.chat(request, usecase)


@router.get("/threads/{thread_id:path}", responses=NOT_FOUND)
def show_thread(thread_id: ThreadId, usecase: Conversations) -> ThreadResponse:
    """Look back into a conversation."""
    return threads.show(thread_id, usecase)


@router.delete("/threads/{thread_id:path}", status_code=204, responses=NOT_FOUND)
def erase_thread(thread_id: ThreadId, usecase: Conversations) -> None:
    """Erase a conversation everywhere it is stored."""
    threads.erase(thread_id, usecase)


@streams.post("/stream", openapi_extra=KEYED)
async def stream_chat(
    request: Request,
    body: ChatRequest,
    usecase: UseCase,
    stores: chat_controller.Stores,
) -> EventSourceResponse:
    """Send a message and watch the turn as server-sent events."""
    thread_id = body.thread_id or new_thread_id()
    take_turn = chat_controller.stream_chat(body, thread_id, usecase)
    return await start_stream(request, thread_id, stores, take_turn)


@streams.get("/runs/{run_id}/stream", responses=NOT_FOUND)
async def follow_run(
    run_id: str, stores: chat_controller.Stores, last_event_id: LastEventId = 0
) -> EventSourceResponse:
    """Read on in a stream that was lost; ``Last-Event-ID`` says where."""
    return await follow_stream(run_id, last_event_id, stores)
