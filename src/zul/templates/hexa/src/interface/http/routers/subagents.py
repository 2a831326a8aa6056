from typing import Annotated

from fastapi import APIRouter, Depends

from src.application.usecases.chat import ChatUseCase
from src.application.usecases.conversations import ConversationsUseCase
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.interface.http.controllers import subagents_controller, threads
from src.interface.http.controllers.chat_controller import ChatRequest, ChatResponse
from src.interface.http.controllers.reviews import ReviewedChatResponse, ReviewRequest
from src.interface.http.controllers.threads import ThreadResponse
from src.interface.http.errors import NOT_FOUND, REFUSED
from src.interface.http.fields import ThreadId
from src.interface.http.routing import conversation_route

router = APIRouter(
    prefix="/subagents",
    tags=["subagents"],
    responses=REFUSED,
    route_class=conversation_route(subagents_controller.get_subagents_stores),
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


Conversations = Annotated[
    ConversationsUseCase, Depends(subagents_controller.get_subagents_conversations)
]


@router.get("/threads/{thread_id}", responses=NOT_FOUND)
def show_thread(thread_id: ThreadId, usecase: Conversations) -> ThreadResponse:
    """Look back into a conversation."""
    return threads.show(thread_id, usecase)


@router.delete("/threads/{thread_id}", status_code=204, responses=NOT_FOUND)
def erase_thread(thread_id: ThreadId, usecase: Conversations) -> None:
    """Erase a conversation everywhere it is stored."""
    threads.erase(thread_id, usecase)
