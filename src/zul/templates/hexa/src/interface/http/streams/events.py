"""The events of a stream, as they are documented and sent.

Every event is a JSON object under ``data:``, with its type under ``event:`` and its number under
``id:``. ``depth`` is 0 for the agent itself and more for subagents. There ``agent`` names the
subagent, and ``parent_tool_call_id`` is the ``id`` of the call that opened it: several calls to one
subagent may run at once, and what happens in them comes in any order. Agents may give the same ids
to their calls, so from depth 2 on only ``parent_step_id`` tells where something belongs: it is the
``step_id`` of the step that runs the call, and that step has a parent of its own.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from src.interface.http.controllers.reviews import PendingReview
from src.interface.http.errors import FailureCode


class RunStarted(BaseModel):
    """The agent has begun. Keep ``run_id`` to read on after a lost connection."""

    type: Literal["run_started"] = "run_started"
    thread_id: str
    run_id: str


class _AtDepth(BaseModel):
    depth: int
    agent: str | None
    parent_tool_call_id: str | None
    parent_step_id: str | None


class StepStarted(_AtDepth):
    """A node has begun."""

    type: Literal["step_started"] = "step_started"
    step_id: str
    node: str


class StepFinished(_AtDepth):
    """A node is over. ``paused``: it waits for a person."""

    type: Literal["step_finished"] = "step_finished"
    step_id: str
    node: str
    seconds: float
    failed: bool
    paused: bool


class Token(_AtDepth):
    """A piece of a text that the model is writing; the whole text comes later."""

    type: Literal["token"] = "token"
    message_id: str
    text: str


class ToolCalled(_AtDepth):
    """The model asks for a tool; after an edit by a person the same ``id`` comes again."""

    type: Literal["tool_call"] = "tool_call"
    id: str
    name: str
    args: dict[str, Any]


class ToolAnswered(_AtDepth):
    """A call has its result. ``rejected``: it ``failed`` because a person did not let it run."""

    type: Literal["tool_result"] = "tool_result"
    id: str
    name: str | None
    content: str
    failed: bool
    rejected: bool


class ReviewPending(BaseModel):
    """The turn ended with actions that wait for a person."""

    type: Literal["pending_review"] = "pending_review"
    pending_review: PendingReview
    review_id: str


class Answered(BaseModel):
    """The turn ended with an answer."""

    type: Literal["answer"] = "answer"
    answer: str


class Failed(BaseModel):
    """The turn failed: what a 500 without streaming would say."""

    type: Literal["error"] = "error"
    detail: str
    code: FailureCode
    request_id: str


class Done(BaseModel):
    """The last event."""

    type: Literal["done"] = "done"


Event = (
    RunStarted
    | StepStarted
    | StepFinished
    | Token
    | ToolCalled
    | ToolAnswered
    | ReviewPending
    | Answered
    | Failed
    | Done
)


class _AsText:
    """Documents a value that is sent as JSON text."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        content = handler(schema)
        return {"type": "string", "contentMediaType": "application/json", "contentSchema": content}


class StreamEvent(BaseModel):
    """One event of a stream, for the documentation of the interface."""

    id: Annotated[str, Field(pattern=r"^[0-9]+$")]
    event: str
    data: Annotated[Event, _AsText()]
