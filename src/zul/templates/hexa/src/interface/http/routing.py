from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from typing_extensions import override


class BodyFirstRoute(APIRoute):
    """Says that a body has the wrong shape even when the service could not be built.

    FastAPI resolves dependencies before it looks at the body. Without this a client that sends
    nonsense to a service without an API key would be told about the key.
    """

    @override
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        body = self.body_field
        if body is None:
            return handle
        adapter: TypeAdapter[Any] = TypeAdapter(body.field_info.annotation)  # type: ignore[arg-type]

        async def handle_body_first(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError:
                raise
            except Exception:
                await _check(request, adapter)
                raise

        return handle_body_first


async def _check(request: Request, adapter: TypeAdapter[Any]) -> None:
    try:
        adapter.validate_json(await request.body())
    except ValidationError as error:
        faults = [{**fault, "loc": ("body", *fault["loc"])} for fault in error.errors()]
        raise RequestValidationError(faults) from error
