from functools import lru_cache
from typing import Annotated

from fastapi import Depends
from langchain_core.tools import BaseTool

from src.application.AI.agents.approval import ToolsRequiringApproval
from src.application.AI.agents.human_in_the_loop.human_in_the_loop import (
    build_human_in_the_loop_agent,
)
from src.application.AI.agents.react.react import Agent
from src.application.ports.conversation_stores import ConversationStores
from src.application.usecases.conversations import ConversationsUseCase
from src.application.usecases.reviewed_chat import ReviewedChatUseCase
from src.infrastructure.AI.llm import get_llm_model
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.AI.tools.email_tool import send_email
from src.infrastructure.AI.tools.weather_tool import get_weather
from src.infrastructure.database.stores import get_stores
from src.infrastructure.settings import Settings
from src.interface.http.building import build_once
from src.interface.http.controllers.messages import ChatRequest
from src.interface.http.controllers.reviews import ReviewedChatResponse
from src.interface.http.fields import new_thread_id

SCOPE = "hitl"
"""Keeps the conversations of this agent apart from those of the others."""

TOOLS: list[BaseTool] = [get_weather, send_email]

TOOLS_REQUIRING_APPROVAL: ToolsRequiringApproval = {send_email.name}
"""Names, or a mapping from names to a condition over the arguments (``None``: always)."""


def get_hitl_stores() -> ConversationStores:
    """Return where this agent's conversations are locked and recorded."""
    return get_stores(SCOPE)


Stores = Annotated[ConversationStores, Depends(get_hitl_stores)]


@build_once
@lru_cache
def get_human_in_the_loop_agent() -> Agent:
    """Return the agent behind ``POST /hitl/*`` and the playground's ``Human-in-the-loop``."""
    return build_human_in_the_loop_agent(
        llm=get_llm_model(),
        tools=TOOLS,
        tools_requiring_approval=TOOLS_REQUIRING_APPROVAL,
        checkpointer=get_checkpointer(SCOPE),
        ledger=get_hitl_stores().ledger,
        limits=Settings().limits,
    )


@build_once
@lru_cache
def get_reviewed_chat_usecase() -> ReviewedChatUseCase:
    """Return the use case behind ``POST /hitl/*``."""
    stores = get_hitl_stores()
    return ReviewedChatUseCase(
        get_human_in_the_loop_agent(), lock=stores.lock, reviews=stores.reviews
    )


@build_once
@lru_cache
def get_hitl_conversations() -> ConversationsUseCase:
    """Return the use case behind ``/hitl/threads``."""
    return ConversationsUseCase(get_human_in_the_loop_agent(), stores=get_hitl_stores())


def chat(request: ChatRequest, usecase: ReviewedChatUseCase) -> ReviewedChatResponse:
    """Answer a message, or return the actions that wait for a person."""
    thread_id = request.thread_id or new_thread_id()
    turn = usecase.send_message(request.message, thread_id)
    return ReviewedChatResponse.of(turn, thread_id)
