from typing import Annotated

from fastapi import APIRouter, Depends

from src.application.usecases.chat import ChatUseCase
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.interface.http.controllers import subagents_controller
from src.interface.http.controllers.chat_controller import ChatRequest, ChatResponse
from src.interface.http.controllers.reviews import ReviewedChatResponse, ReviewRequest
from src.interface.http.errors import REFUSED
from src.interface.http.routing import BodyFirstRoute

router = APIRouter(
    prefix="/subagents", tags=["subagents"], responses=REFUSED, route_class=BodyFirstRoute
)


@router.post("/chat")
def chat(
    request: ChatRequest,
    usecase: Annotated[ChatUseCase, Depends(subagents_controller.get_subagents_chat_usecase)],
) -> ChatResponse | ReviewedChatResponse:
    """Send a message to the supervisor, which delegates to its subagents."""
    return subagents_controller.chat(request, usecase)


@router.post("/review")
def review(
    request: ReviewRequest,
    usecase: Annotated[
        ReviewedChatUseCase, Depends(subagents_controller.get_subagents_review_usecase)
    ],
) -> ReviewedChatResponse:
    """Decide on the actions of subagents that wait."""
    return subagents_controller.review(request, usecase)
