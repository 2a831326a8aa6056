from functools import lru_cache
from typing import Annotated

from fastapi import Depends

from src.application.AI.agents.react.react import Agent
from src.application.AI.agents.subagents.subagents import SubagentSpec, build_supervisor_agent
from src.application.errors import ReviewRequiredError
from src.application.ports.conversation_stores import ConversationStores
from src.application.usecases.chat import ChatUseCase
from src.application.usecases.conversations import ConversationsUseCase
from src.application.usecases.reviewed_chat import ChatTurn, ReviewedChatUseCase
from src.domain.templates.prompt.subagents.subagents_prompt_templates import (
    EMAIL_AGENT_SYSTEM_PROMPT,
    WEATHER_AGENT_SYSTEM_PROMPT,
)
from src.infrastructure.AI.llm import get_llm_model
from src.infrastructure.AI.memory.checkpointer import get_checkpointer
from src.infrastructure.AI.tools.email_tool import send_email
from src.infrastructure.AI.tools.weather_tool import get_weather
from src.infrastructure.database.stores import get_stores
from src.infrastructure.settings import Settings
from src.interface.http.building import build_once
from src.interface.http.controllers.messages import ChatRequest, ChatResponse
from src.interface.http.controllers.reviews import ReviewedChatResponse
from src.interface.http.fields import new_thread_id

SCOPE = "subagents"
"""Keeps the conversations of this agent apart from those of the others."""

SUBAGENTS = [
    SubagentSpec(
        name="weather_agent",
        description="Looks up the current weather (cuaca) of a place.",
        system_prompt=WEATHER_AGENT_SYSTEM_PROMPT,
        tools=[get_weather],
    ),
    SubagentSpec(
        name="email_agent",
        description="Writes and sends an e-mail (surel). Needs the address and what to say.",
        system_prompt=EMAIL_AGENT_SYSTEM_PROMPT,
        tools=[send_email],
        tools_requiring_approval={send_email.name},
    ),
]


def get_subagents_stores() -> ConversationStores:
    """Return where this agent's conversations are locked and recorded."""
    return get_stores(SCOPE)


Stores = Annotated[ConversationStores, Depends(get_subagents_stores)]


@build_once
@lru_cache
def get_supervisor_agent() -> Agent:
    """Return the supervisor behind ``POST /subagents/*`` and the playground's ``Subagents``."""
    return build_supervisor_agent(
        llm=get_llm_model(),
        subagents=SUBAGENTS,
        checkpointer=get_checkpointer(SCOPE),
        ledger=get_subagents_stores().ledger,
        limits=Settings().limits,
    )


@build_once
@lru_cache
def get_subagents_chat_usecase() -> ChatUseCase:
    """Return the use case behind ``POST /subagents/chat``."""
    stores = get_subagents_stores()
    return ChatUseCase(get_supervisor_agent(), lock=stores.lock, reviews=stores.reviews)


@build_once
@lru_cache
def get_subagents_review_usecase() -> ReviewedChatUseCase:
    """Return the use case behind ``POST /subagents/review``."""
    stores = get_subagents_stores()
    return ReviewedChatUseCase(get_supervisor_agent(), lock=stores.lock, reviews=stores.reviews)


@build_once
@lru_cache
def get_subagents_conversations() -> ConversationsUseCase:
    """Return the use case behind ``/subagents/threads``."""
    return ConversationsUseCase(get_supervisor_agent(), stores=get_subagents_stores())


def chat(request: ChatRequest, usecase: ChatUseCase) -> ChatResponse | ReviewedChatResponse:
    """Answer a message, or return the actions of subagents that wait for a person."""
    thread_id = request.thread_id or new_thread_id()
    try:
        answer = usecase.execute(request.message, thread_id)
    except ReviewRequiredError as pause:
        return ReviewedChatResponse.of(ChatTurn.paused(pause), thread_id)
    return ChatResponse(answer=answer, thread_id=thread_id)
