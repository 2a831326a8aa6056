from typing import Annotated

from fastapi import Depends, Request
from sse_starlette import EventSourceResponse

from src.application.usecases.chat import ChatUseCase
from src.interface.http.building import Provided
from src.interface.http.controllers import chat_controller, turns
from src.interface.http.controllers.messages import ChatRequest, ChatResponse
from src.interface.http.idempotency import KEYED, REPLAYED
from src.interface.http.routers.conversations import (
    add_run_endpoint,
    add_thread_endpoints,
    agent_router,
    stream_router,
)
from src.interface.http.streams.responses import start_stream

router = agent_router("/chat", "chat", chat_controller.get_chat_stores)
streams = stream_router("/chat", "chat")

UseCase = Annotated[ChatUseCase, Depends(Provided(chat_controller.get_chat_usecase))]


@router.post("", openapi_extra=REPLAYED)
def chat(request: ChatRequest, usecase: UseCase) -> ChatResponse:
    """Send a message to the ReAct agent."""
    return chat_controller.chat(request, usecase)


@streams.post("/stream", openapi_extra=KEYED)
async def stream_chat(
    request: Request, body: ChatRequest, usecase: UseCase, stores: chat_controller.Stores
) -> EventSourceResponse:
    """Send a message and watch the turn as server-sent events."""
    return await start_stream(request, turns.stream_chat(body, usecase, stores))


add_thread_endpoints(router, chat_controller.get_chat_conversations)
add_run_endpoint(streams, chat_controller.get_chat_stores)
