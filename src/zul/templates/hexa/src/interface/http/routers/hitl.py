from typing import Annotated

from fastapi import APIRouter, Depends

from src.application.usecases.conversations import ConversationsUseCase
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.interface.http.controllers import hitl_controller, threads
from src.interface.http.controllers.chat_controller import ChatRequest
from src.interface.http.controllers.reviews import ReviewedChatResponse, ReviewRequest
from src.interface.http.controllers.threads import ThreadResponse
from src.interface.http.errors import NOT_FOUND, REFUSED
from src.interface.http.fields import ThreadId
from src.interface.http.routing import conversation_route

router = APIRouter(
    prefix="/hitl",
    tags=["human in the loop"],
    responses=REFUSED,
    route_class=conversation_route(hitl_controller.get_hitl_stores),
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


Conversations = Annotated[ConversationsUseCase, Depends(hitl_controller.get_hitl_conversations)]


@router.get("/threads/{thread_id}", responses=NOT_FOUND)
def show_thread(thread_id: ThreadId, usecase: Conversations) -> ThreadResponse:
    """Look back into a conversation."""
    return threads.show(thread_id, usecase)


@router.delete("/threads/{thread_id}", status_code=204, responses=NOT_FOUND)
def erase_thread(thread_id: ThreadId, usecase: Conversations) -> None:
    """Erase a conversation everywhere it is stored."""
    threads.erase(thread_id, usecase)
