from typing import Annotated

from fastapi import APIRouter, Depends

from src.application.usecases.chat import ChatUseCase
from src.application.usecases.conversations import ConversationsUseCase
from src.interface.http.controllers import chat_controller, threads
from src.interface.http.controllers.chat_controller import ChatRequest, ChatResponse
from src.interface.http.controllers.threads import ThreadResponse
from src.interface.http.errors import NOT_FOUND, REFUSED
from src.interface.http.fields import ThreadId
from src.interface.http.routing import conversation_route

router = APIRouter(
    prefix="/chat",
    tags=["chat"],
    responses=REFUSED,
    route_class=conversation_route(chat_controller.get_chat_stores),
)


@router.post("")
def chat(
    request: ChatRequest,
    usecase: Annotated[ChatUseCase, Depends(chat_controller.get_chat_usecase)],
) -> ChatResponse:
    """Send a message to the ReAct agent."""
    return chat_controller.chat(request, usecase)


Conversations = Annotated[ConversationsUseCase, Depends(chat_controller.get_chat_conversations)]


@router.get("/threads/{thread_id}", responses=NOT_FOUND)
def show_thread(thread_id: ThreadId, usecase: Conversations) -> ThreadResponse:
    """Look back into a conversation."""
    return threads.show(thread_id, usecase)


@router.delete("/threads/{thread_id}", status_code=204, responses=NOT_FOUND)
def erase_thread(thread_id: ThreadId, usecase: Conversations) -> None:
    """Erase a conversation everywhere it is stored."""
    threads.erase(thread_id, usecase)
