from functools import lru_cache
from typing import Annotated

from fastapi import Depends

from src.application.AI.agents.react.react import Agent, build_react_agent
from src.application.ports.conversation_stores import ConversationStores
from src.application.usecases.chat import ChatUseCase
from src.application.usecases.conversations import ConversationsUseCase
from src.infrastructure.AI.llm import get_llm_model
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.AI.tools.weather_tool import get_weather
from src.infrastructure.database.stores import get_stores
from src.infrastructure.settings import Settings
from src.interface.http.building import build_once
from src.interface.http.controllers.messages import ChatRequest, ChatResponse
from src.interface.http.fields import new_thread_id

SCOPE = "chat"
"""Keeps the conversations of this agent apart from those of the others."""

TOOLS = [get_weather]


def get_chat_stores() -> ConversationStores:
    """Return where this agent's conversations are locked and recorded."""
    return get_stores(SCOPE)


Stores = Annotated[ConversationStores, Depends(get_chat_stores)]


@build_once
@lru_cache
def get_react_agent() -> Agent:
    """Return the agent behind ``POST /chat`` and the playground's ``ReAct``."""
    return build_react_agent(
        llm=get_llm_model(),
        tools=TOOLS,
        checkpointer=get_checkpointer(SCOPE),
        limits=Settings().limits,
    )


@build_once
@lru_cache
def get_chat_usecase() -> ChatUseCase:
    """Return the use case behind ``POST /chat``."""
    stores = get_chat_stores()
    return ChatUseCase(get_react_agent(), lock=stores.lock, reviews=stores.reviews)


@build_once
@lru_cache
def get_chat_conversations() -> ConversationsUseCase:
    """Return the use case behind ``/chat/threads``."""
    return ConversationsUseCase(get_react_agent(), stores=get_chat_stores())


def chat(request: ChatRequest, usecase: ChatUseCase) -> ChatResponse:
    """Answer a message."""
    thread_id = request.thread_id or new_thread_id()
    answer = usecase.execute(request.message, thread_id)
    return ChatResponse(answer=answer, thread_id=thread_id)
