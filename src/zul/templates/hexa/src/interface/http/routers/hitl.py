from typing import Annotated

from fastapi import Depends, Request
from sse_starlette import EventSourceResponse

from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.interface.http.building import Provided
from src.interface.http.controllers import hitl_controller, turns
from src.interface.http.controllers.messages import ChatRequest
from src.interface.http.controllers.reviews import ReviewedChatResponse, ReviewRequest
from src.interface.http.idempotency import KEYED, REPLAYED
from src.interface.http.routers.conversations import (
    add_run_endpoint,
    add_thread_endpoints,
    agent_router,
    stream_router,
)
from src.interface.http.streams.responses import start_stream

router = agent_router("/hitl", "human in the loop", hitl_controller.get_hitl_stores)
streams = stream_router("/hitl", "human in the loop")

UseCase = Annotated[
    ReviewedChatUseCase, Depends(Provided(hitl_controller.get_reviewed_chat_usecase))
]


@router.post("/chat", openapi_extra=REPLAYED)
def chat(request: ChatRequest, usecase: UseCase) -> ReviewedChatResponse:
    """Send a message to the agent whose actions a person approves."""
    return hitl_controller.chat(request, usecase)


@router.post("/review", openapi_extra=REPLAYED)
def review(request: ReviewRequest, usecase: UseCase) -> ReviewedChatResponse:
    """Decide on the actions that wait."""
    return turns.review(request, usecase)


@streams.post("/chat/stream", openapi_extra=KEYED)
async def stream_chat(
    request: Request, body: ChatRequest, usecase: UseCase, stores: hitl_controller.Stores
) -> EventSourceResponse:
    """Send a message and watch the turn as server-sent events."""
    return await start_stream(request, turns.stream_reviewed_chat(body, usecase, stores))


@streams.post("/review/stream", openapi_extra=KEYED)
async def stream_review(
    request: Request, body: ReviewRequest, usecase: UseCase, stores: hitl_controller.Stores
) -> EventSourceResponse:
    """Decide on the actions that wait and watch the rest of the turn."""
    return await start_stream(request, turns.stream_review(body, usecase, stores))


add_thread_endpoints(router, hitl_controller.get_hitl_conversations)
add_run_endpoint(streams, hitl_controller.get_hitl_stores)
