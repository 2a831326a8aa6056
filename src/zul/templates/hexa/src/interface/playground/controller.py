import logging
import time
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, Field

from src.application.errors import (
    ConversationBusyError,
    ConversationNotFoundError,
)
from src.application.ports.conversation_stores import ConversationStores
from src.application.turns import MAX_AGENT_STEPS, ChatTurn, Turns
from src.domain.exceptions import DomainError
from src.interface.http.errors import FailureCode, failure_of
from src.interface.http.fields import Text, ThreadId, new_thread_id
from src.interface.http.streams.responses import StreamedTurn
from src.interface.playground.features import FEATURES
from src.interface.playground.opening import built_agent, existing_feature, turns_of
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
    """Why the agent failed on the way: the code of a 500, and a reason."""

    type: FailureCode
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
    return _record(
        request.thread_id,
        recorder,
        lambda: turns.review(
            _decisions(request.value), request.thread_id, request.review_id, recorder.run
        ),
    )


def stream_message(request: PlaygroundMessage) -> StreamedTurn:
    """Prepare a turn for a message."""
    thread_id = request.thread_id or new_thread_id()
    turns, stores = _prepare(request.feature, request.max_steps)
    return StreamedTurn(
        thread_id,
        stores,
        lambda watcher: turns.send(request.message, thread_id, turns.watched(watcher)),
    )


def stream_resume(request: PlaygroundResume) -> StreamedTurn:
    """Prepare a turn for the answer to a pause."""
    turns, stores = _prepare(request.feature, request.max_steps)
    decisions = _decisions(request.value)
    return StreamedTurn(
        request.thread_id,
        stores,
        lambda watcher: turns.review(
            decisions, request.thread_id, request.review_id, turns.watched(watcher)
        ),
    )


def _prepare(name: str, max_steps: int) -> tuple[Turns, ConversationStores]:
    feature = existing_feature(name)
    stores = feature.stores()
    return turns_of(built_agent(feature), stores, max_steps), stores


def _decisions(value: Any) -> Any:
    return value.get("decisions") if isinstance(value, dict) else value


def _open(name: str, max_steps: int) -> tuple[Turns, StepRecorder]:
    feature = existing_feature(name)
    agent = built_agent(feature)
    return turns_of(agent, feature.stores(), max_steps), StepRecorder(agent)


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
