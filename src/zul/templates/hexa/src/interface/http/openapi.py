"""The OpenAPI document: FastAPI's own, and what FastAPI cannot see.

It looks into no middleware, which sets headers, and it takes the events of a stream for JSON.
"""

from typing import Any

from fastapi import FastAPI
from typing_extensions import override

from src.interface.http.middleware import REQUEST_ID_HEADER

EVENT_STREAM = "text/event-stream"

_REQUEST_ID = {
    "description": "Identifies the request in the log: the client's own id, or a new one",
    "schema": {"type": "string"},
}


class DocumentedApi(FastAPI):
    """An application whose OpenAPI document says all that a client has to know."""

    @override
    def openapi(self) -> dict[str, Any]:
        """Return the document; it is made once."""
        if self.openapi_schema is not None:
            return self.openapi_schema
        document = super().openapi()
        for operations in document["paths"].values():
            for operation in operations.values():
                for response in operation["responses"].values():
                    _complete(response)
        return document


def _complete(response: dict[str, Any]) -> None:
    response.setdefault("headers", {})[REQUEST_ID_HEADER] = _REQUEST_ID
    content = response.get("content", {})
    if EVENT_STREAM in content and "application/json" in content:
        content[EVENT_STREAM] = content.pop("application/json")
