from collections.abc import Callable, Coroutine
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isfunction, isgeneratorfunction, unwrap
from typing import Any

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from typing_extensions import override

from src.application.ports.conversation_stores import ConversationStores
from src.interface.http.idempotency import HEADER, answer_once

GetStores = Callable[[], ConversationStores]
Handle = Callable[[Request], Coroutine[Any, Any, Response]]


class OneHandoverRoute(APIRoute):
    """Hands a synchronous endpoint over to a worker thread, and its answer back, only once.

    FastAPI hands the answer of a ``def`` over a second time, to check its shape. An answer that is
    a model already takes no time to check, and a handover takes a twentieth of a turn.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, _in_worker_thread(endpoint), **options)


class BodyFirstRoute(OneHandoverRoute):
    """Says that a body has the wrong shape even when the service could not be built.

    FastAPI resolves dependencies before it looks at the body. Without this a client that sends
    nonsense to a service without an API key would be told about the key.
    """

    @override
    def get_route_handler(self) -> Handle:
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle
        adapter: TypeAdapter[Any] = TypeAdapter(self.body_field.field_info.annotation)  # type: ignore[arg-type]

        async def handle_body_first(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError:
                raise
            except Exception:
                await _check(request, adapter)
                raise

        return handle_body_first


class ConversationRoute(BodyFirstRoute):
    """A route that honours idempotency keys."""

    get_stores: GetStores

    @override
    def get_route_handler(self) -> Handle:
        handle = super().get_route_handler()

        async def handle_once(request: Request) -> Response:
            if HEADER not in request.headers or request.method != "POST":
                return await handle(request)
            stores = await run_in_threadpool(type(self).get_stores)
            try:
                return await answer_once(request, handle, lock=stores.lock, answers=stores.answers)
            except ClientDisconnect as error:
                # As FastAPI does without a key: half a request is the client's failure.
                raise HTTPException(400, "Permintaan terputus") from error

        return handle_once


def conversation_route(get_stores: GetStores) -> type[ConversationRoute]:
    """Return the route class for the conversations kept in these stores."""
    return type("ConversationRoute", (ConversationRoute,), {"get_stores": staticmethod(get_stores)})


def _in_worker_thread(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    # What FastAPI tells apart by its kind stays as it is.
    awaited_or_iterated = (iscoroutinefunction, isgeneratorfunction, isasyncgenfunction)
    if not isfunction(endpoint) or any(kind(unwrap(endpoint)) for kind in awaited_or_iterated):
        return endpoint

    @wraps(endpoint)
    async def hand_over(**arguments: Any) -> Any:
        return await run_in_threadpool(endpoint, **arguments)

    return hand_over


async def _check(request: Request, adapter: TypeAdapter[Any]) -> None:
    try:
        try:
            body = await request.json()
        except ClientDisconnect:
            return  # nobody is left to be told
        except (ValueError, RecursionError):
            adapter.validate_json(await request.body())
        else:
            # Not from the text: the two parsers differ on byte order marks and deep nesting.
            adapter.validate_python(body)
    except ValidationError as error:
        faults = [
            {**fault, "loc": ("body", *fault["loc"])} for fault in error.errors(include_url=False)
        ]
        raise RequestValidationError(faults) from error
