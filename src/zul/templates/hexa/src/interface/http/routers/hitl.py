from typing import Annotated

from fastapi import APIRouter, Depends

from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.interface.http.controllers import hitl_controller
from src.interface.http.controllers.chat_controller import ChatRequest
from src.interface.http.controllers.reviews import ReviewedChatResponse, ReviewRequest
from src.interface.http.errors import REFUSED
from src.interface.http.routing import BodyFirstRoute

router = APIRouter(
    prefix="/hitl", tags=["human in the loop"], responses=REFUSED, route_class=BodyFirstRoute
)

UseCase = Annotated[ReviewedChatUseCase, Depends(hitl_controller.get_reviewed_chat_usecase)]


@router.post("/chat")
def chat(request: ChatRequest, usecase: UseCase) -> ReviewedChatResponse:
    """Send a message to the agent whose actions a person approves."""
    return hitl_controller.chat(request, usecase)


@router.post("/review")
def review(request: ReviewRequest, usecase: UseCase) -> ReviewedChatResponse:
    """Decide on the actions that wait."""
    return hitl_controller.review(request, usecase)
