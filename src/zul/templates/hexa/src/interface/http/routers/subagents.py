from typing import Annotated

from fastapi import Depends, Request
from sse_starlette import EventSourceResponse

from src.application.usecases.chat import ChatUseCase
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.interface.http.building import Provided
from src.interface.http.controllers import subagents_controller, turns
from src.interface.http.controllers.messages import ChatRequest, ChatResponse
from src.interface.http.controllers.reviews import ReviewedChatResponse, ReviewRequest
from src.interface.http.idempotency import KEYED, REPLAYED
from src.interface.http.routers.conversations import (
    add_run_endpoint,
    add_thread_endpoints,
    agent_router,
    stream_router,
)
from src.interface.http.streams.responses import start_stream

router = agent_router("/subagents", "subagents", subagents_controller.get_subagents_stores)
streams = stream_router("/subagents", "subagents")

UseCase = Annotated[ChatUseCase, Depends(Provided(subagents_controller.get_subagents_chat_usecase))]
ReviewUseCase = Annotated[
    ReviewedChatUseCase, Depends(Provided(subagents_controller.get_subagents_review_usecase))
]


@router.post("/chat", openapi_extra=REPLAYED)
def chat(request: ChatRequest, usecase: UseCase) -> ChatResponse | ReviewedChatResponse:
    """Send a message to the supervisor, which delegates to its subagents."""
    return subagents_controller.chat(request, usecase)


@router.post("/review", openapi_extra=REPLAYED)
def review(request: ReviewRequest, usecase: ReviewUseCase) -> ReviewedChatResponse:
    """Decide on the actions of subagents that wait."""
    return turns.review(request, usecase)


@streams.post("/chat/stream", openapi_extra=KEYED)
async def stream_chat(
    request: Request, body: ChatRequest, usecase: UseCase, stores: subagents_controller.Stores
) -> EventSourceResponse:
    """Send a message and watch the turn as server-sent events."""
    return await start_stream(request, turns.stream_chat(body, usecase, stores))


@streams.post("/review/stream", openapi_extra=KEYED)
async def stream_review(
    request: Request,
    body: ReviewRequest,
    usecase: ReviewUseCase,
    stores: subagents_controller.Stores,
) -> EventSourceResponse:
    """Decide on the actions that wait and watch the rest of the turn."""
    return await start_stream(request, turns.stream_review(body, usecase, stores))


add_thread_endpoints(router, subagents_controller.get_subagents_conversations)
add_run_endpoint(streams, subagents_controller.get_subagents_stores)
