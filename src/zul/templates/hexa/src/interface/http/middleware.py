import re
from uuid import uuid4

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from src.infrastructure.logs import request_id
from src.interface.http.errors import Refusal, body_too_large, failure_response

REQUEST_ID_HEADER = "X-Request-ID"
_USABLE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class RequestContextMiddleware:
    """Gives each request an id, and turns what nobody handled into a clean 500.

    The id comes from the client where it sends a usable one; it is on the response, in the log
    and in the body of a 500.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
        current = given if _USABLE_ID.fullmatch(given) else uuid4().hex
        token = request_id.set(current)
        started = False

        async def send_with_id(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = current
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception as error:
            response = failure_response(error)
            if started:  # too late for another status: let the server cut the connection
                raise
            await response(scope, receive, send_with_id)
        finally:
            request_id.reset(token)


class BodyLimitMiddleware:
    """Refuses with 413 what is too large to be read, before it is in memory.

    A body that announces its length is refused unread; one in chunks is counted while it is read.
    """

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        announced = Headers(scope=scope).get("Content-Length", "")
        if announced.isdecimal() and int(announced) > self._max_bytes:
            error = body_too_large(self._max_bytes)
            body = Refusal(detail=error.detail).model_dump()
            await JSONResponse(body, status_code=error.status_code)(scope, receive, send)
            return
        await self._app(scope, self._counted(receive), send)

    def _counted(self, receive: Receive) -> Receive:
        left = self._max_bytes

        async def receive_within_limit() -> Message:
            nonlocal left
            if left >= 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if left >= 0:
                    return message
            # An HTTPException, because FastAPI takes any other one for a body it cannot parse.
            raise body_too_large(self._max_bytes)

        return receive_within_limit
