import logging
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any

from fastapi import HTTPException
from pydantic import BaseModel, Field

from src.application.AI.agents.react.react import Agent
from src.application.errors import (
    ConversationBusyError,
    ConversationNotFoundError,
)
from src.application.ports.conversation_lock import ConversationLock
from src.application.ports.in_memory import InMemoryConversationLock, InMemoryReviewLog
from src.application.ports.review_log import ReviewLog
from src.application.turns import MAX_AGENT_STEPS, ChatTurn, Turns
from src.domain.exceptions import DomainError
from src.interface.http.errors import failure_of
from src.interface.http.fields import Text, ThreadId, new_thread_id
from src.interface.playground.features import FEATURES, Feature, find_feature
from src.interface.steps import Step, StepRecorder

logger = logging.getLogger(__name__)

MaxSteps = Annotated[int, Field(ge=1, le=200)]


class FeatureResponse(BaseModel):
    """A feature as the page lists it."""

    name: str
    description: str
    examples: list[str]


class PlaygroundMessage(BaseModel):
    """A message for a feature's agent."""

    feature: str
    message: Text
    thread_id: ThreadId | None = None
    max_steps: MaxSteps = MAX_AGENT_STEPS


class PlaygroundResume(BaseModel):
    """The answer to a pause: ``value`` holds ``decisions`` in the review format."""

    feature: str
    thread_id: ThreadId
    value: Any
    review_id: str | None = None
    max_steps: MaxSteps = MAX_AGENT_STEPS


class TurnError(BaseModel):
    """Why the agent failed on the way: one of the codes of a 500, and a reason."""

    type: str
    message: str


class PlaygroundTurn(BaseModel):
    """A turn with every step; at most one of answer, pending_review and error is set."""

    thread_id: str
    answer: str | None = None
    pending_review: dict[str, Any] | None = None
    review_id: str | None = None
    error: TurnError | None = None
    seconds: float
    steps: list[Step]


def list_features() -> list[FeatureResponse]:
    """Return the features in the order in which they are declared."""
    return [
        FeatureResponse(
            name=feature.name, description=feature.description, examples=list(feature.examples)
        )
        for feature in FEATURES
    ]


def send_message(request: PlaygroundMessage) -> PlaygroundTurn:
    """Send a message to a feature's agent and return the turn with its steps."""
    thread_id = request.thread_id or new_thread_id()
    turns, recorder = _open(request.feature, request.max_steps)
    return _record(
        thread_id, recorder, lambda: turns.send(request.message, thread_id, recorder.run)
    )


def resume(request: PlaygroundResume) -> PlaygroundTurn:
    """Answer a pause and return the rest of the turn with its steps."""
    turns, recorder = _open(request.feature, request.max_steps)
    value = request.value
    decisions = value.get("decisions") if isinstance(value, dict) else value
    return _record(
        request.thread_id,
        recorder,
        lambda: turns.review(decisions, request.thread_id, request.review_id, recorder.run),
    )


def _open(name: str, max_steps: int) -> tuple[Turns, StepRecorder]:
    feature = find_feature(name)
    if feature is None:
        raise HTTPException(404, f"Fitur '{name}' tidak ada")
    agent = _build(feature)
    lock, reviews = _records_of(feature)
    turns = Turns(agent, max_agent_steps=max_steps, lock=lock, reviews=reviews)
    return turns, StepRecorder(agent)


def _build(feature: Feature) -> Agent:
    try:
        return feature.build_agent()
    except Exception as error:
        logger.exception("The feature %s cannot be built", feature.name)
        raise HTTPException(503, failure_of(error).detail) from error


@lru_cache
def _own_records(_: Feature) -> tuple[ConversationLock, ReviewLog]:
    return InMemoryConversationLock(), InMemoryReviewLog()


def _records_of(feature: Feature) -> tuple[ConversationLock, ReviewLog]:
    if feature.get_stores is None:
        return _own_records(feature)
    stores = feature.get_stores()
    return stores.lock, stores.reviews


def _record(
    thread_id: str, recorder: StepRecorder, take_turn: Callable[[], ChatTurn]
) -> PlaygroundTurn:
    started = time.perf_counter()
    turn, error = ChatTurn(), None
    try:
        turn = take_turn()
    except (DomainError, ConversationBusyError, ConversationNotFoundError):
        raise
    except Exception as cause:
        logger.exception("The agent failed on the way")
        failure = failure_of(cause)
        error = TurnError(type=failure.code, message=failure.detail)
    return PlaygroundTurn(
        thread_id=thread_id,
        answer=turn.answer,
        pending_review=turn.pending_review,
        review_id=turn.review_id,
        error=error,
        seconds=round(time.perf_counter() - started, 3),
        steps=recorder.steps,
    )
