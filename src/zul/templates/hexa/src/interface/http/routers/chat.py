from typing import Annotated

from fastapi import APIRouter, Depends

from src.application.usecases.chat import ChatUseCase
from src.interface.http.controllers import chat_controller
from src.interface.http.controllers.chat_controller import ChatRequest, ChatResponse
from src.interface.http.errors import REFUSED
from src.interface.http.routing import BodyFirstRoute

router = APIRouter(prefix="/chat", tags=["chat"], responses=REFUSED, route_class=BodyFirstRoute)


@router.post("")
def chat(
    request: ChatRequest,
    usecase: Annotated[ChatUseCase, Depends(chat_controller.get_chat_usecase)],
) -> ChatResponse:
    """Send a message to the ReAct agent."""
    return chat_controller.chat(request, usecase)
