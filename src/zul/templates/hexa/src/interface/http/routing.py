from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette.concurrency import run_in_threadpool
from typing_extensions import override

from src.infrastructure.database.stores import ConversationStores
from src.interface.http.idempotency import HEADER, answer_once

Handle = Callable[[Request], Coroutine[Any, Any, Response]]


class ConversationRoute(APIRoute):
    """A route of a conversation: honours idempotency keys, and looks at the body first.

    FastAPI resolves dependencies before it looks at the body. Without this a client that sends
    nonsense to a service without an API key would be told about the key.
    """

    get_stores: Callable[[], ConversationStores]

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

        async def handle_once(request: Request) -> Response:
            if HEADER not in request.headers:
                return await handle_body_first(request)
            stores = await run_in_threadpool(type(self).get_stores)
            return await answer_once(
                request, handle_body_first, lock=stores.lock, answers=stores.answers
            )

        return handle_once


def conversation_route(get_stores: Callable[[], ConversationStores]) -> type[ConversationRoute]:
    """Return the route class for the conversations kept in these stores."""
    return type("ConversationRoute", (ConversationRoute,), {"get_stores": staticmethod(get_stores)})


async def _check(request: Request, adapter: TypeAdapter[Any]) -> None:
    try:
        adapter.validate_json(await request.body())
    except ValidationError as error:
        faults = [
            {**fault, "loc": ("body", *fault["loc"])} for fault in error.errors(include_url=False)
        ]
        raise RequestValidationError(faults) from error
