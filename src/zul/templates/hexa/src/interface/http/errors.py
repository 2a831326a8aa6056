"""What each exception of domain and application means to an HTTP client; decided nowhere else.

DomainError               400  the request breaks a business rule
ConversationNotFoundError 404
ConversationBusyError     409
ReviewRequiredError       409  the agent waits for a person where the endpoint cannot say so
a body that is too large  413
every other ServiceError  500  with a code
anything else             500  with the code ``internal``
"""

import logging
import math
from typing import Any, Literal

from fastapi import FastAPI, HTTPException, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.routing import Match

from src.application.errors import (
    ConversationBusyError,
    ConversationNotFoundError,
    ModelCallError,
    ModelNotConfiguredError,
    ModelTimeoutError,
    ReviewRequiredError,
    ServiceError,
    ToolFailedError,
)
from src.domain.exceptions import DomainError
from src.infrastructure.logs import request_id

logger = logging.getLogger(__name__)

INTERNAL_DETAIL = "Terjadi kesalahan di server."

FailureCode = Literal[
    "llm_unavailable", "llm_timeout", "llm_not_configured", "tool_failed", "internal"
]
"""What failed, for programs."""

_STATUS: tuple[tuple[type[ServiceError], int], ...] = (
    (ConversationNotFoundError, 404),
    (ConversationBusyError, 409),
    (ReviewRequiredError, 409),
)
_CODES: tuple[tuple[type[Exception], FailureCode], ...] = (
    (ModelTimeoutError, "llm_timeout"),
    (ModelCallError, "llm_unavailable"),
    (ModelNotConfiguredError, "llm_not_configured"),
    (ToolFailedError, "tool_failed"),
)
RETRY_AFTER = "Retry-After"
_ECHO_LIMIT = 200


class Refusal(BaseModel):
    """The body of 400, 404, 409 and 413."""

    detail: str


class Fault(BaseModel):
    """What is wrong at one place of a request; ``input`` is a short picture of what stood there."""

    type: str
    loc: list[str | int]
    msg: str
    input: str | None = None


class WrongShape(BaseModel):
    """The body of 422. A text instead of faults: the idempotency key has another request."""

    detail: list[Fault] | str


class Failure(BaseModel):
    """The body of 500. The log has the cause under ``request_id``."""

    detail: str
    code: FailureCode
    request_id: str


def failure_of(error: Exception) -> Failure:
    """Describe an error of the service without its internals."""
    codes = (code for kind, code in _CODES if isinstance(error, kind))
    code: FailureCode = next(codes, "internal")
    detail = str(error) if isinstance(error, ServiceError) else INTERNAL_DETAIL
    return Failure(detail=detail, code=code, request_id=request_id.get())


def log_failure(error: Exception) -> None:
    """Log an error with its cause, under the request's id."""
    logger.error("The request failed", exc_info=error)


def failure_response(error: Exception) -> JSONResponse:
    """Log an error and return the response for the client."""
    log_failure(error)
    headers = {}
    if isinstance(error, ModelCallError) and error.retry_after_seconds is not None:
        headers[RETRY_AFTER] = str(math.ceil(error.retry_after_seconds))
    return JSONResponse(failure_of(error).model_dump(), status_code=500, headers=headers)


def body_too_large(max_bytes: int) -> HTTPException:
    """Return the error of a request with a larger body than this."""
    return HTTPException(413, f"Isi permintaan terlalu besar: paling banyak {max_bytes} byte")


def _refuse_broken_rule(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse(Refusal(detail=str(error)).model_dump(), status_code=400)


def _answer_service_error(_: Request, error: Exception) -> JSONResponse:
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), None)
    if status is None:
        return failure_response(error)
    return JSONResponse(Refusal(detail=str(error)).model_dump(), status_code=status)


def _refuse_wrong_shape(_: Request, error: Exception) -> JSONResponse:
    """Answer with FastAPI's list, without echoing what may be huge or no valid text."""
    assert isinstance(error, RequestValidationError)  # noqa: S101  # registered for it alone
    detail = [
        {
            key: _echo(item) if key == "input" else item
            for key, item in fault.items()
            if key != "ctx"
        }
        for fault in error.errors()
    ]
    return JSONResponse({"detail": jsonable_encoder(detail)}, status_code=422)


def _echo(value: Any) -> str:
    text = repr(value)  # which escapes what UTF-8 cannot hold
    return text if len(text) <= _ECHO_LIMIT else text[:_ECHO_LIMIT] + "…"


def _refuse_wrong_method(request: Request, _: Exception) -> JSONResponse:
    """Name all methods of the path: Starlette names those of the first route that has it."""
    methods = {
        method
        for route in request.app.routes
        if route.matches(request.scope)[0] is not Match.NONE
        for method in getattr(route, "methods", None) or ()
    }
    return JSONResponse(
        Refusal(detail="Method Not Allowed").model_dump(),
        status_code=405,
        headers={"Allow": ", ".join(sorted(methods))},
    )


def install_error_handlers(app: FastAPI) -> None:
    """Register the handlers; subclasses added later are served by their base's handler."""
    app.add_exception_handler(DomainError, _refuse_broken_rule)
    app.add_exception_handler(ServiceError, _answer_service_error)
    app.add_exception_handler(RequestValidationError, _refuse_wrong_shape)
    app.add_exception_handler(405, _refuse_wrong_method)


REFUSED: dict[int | str, dict[str, Any]] = {
    400: {"model": Refusal, "description": "A business rule is broken"},
    409: {"model": Refusal, "description": "The conversation is busy with another request"},
    413: {"model": Refusal, "description": "The body has more than REQUEST_MAX_BYTES"},
    422: {"model": WrongShape, "description": "The request has the wrong shape"},
    500: {
        "model": Failure,
        "description": "The service, its model or a tool failed",
        "headers": {
            RETRY_AFTER: {
                "description": "Seconds to wait, where the model's provider asks for it",
                "schema": {"type": "integer"},
            }
        },
    },
}
"""The error bodies that every chat endpoint documents."""

NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"model": Refusal, "description": "Nothing is stored under this thread id"}
}
"""The error body of endpoints that look for something."""
