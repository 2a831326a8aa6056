"""A body that is too large is refused before it is in memory, whichever way its length is told."""

import asyncio
import json
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from src.application.AI.agents.limits import MAX_ARGUMENT_CHARS, MAX_MESSAGE_CHARS
from src.infrastructure.settings import Settings
from src.interface.http.main import create_app
from tests.http.service import CHATS, Service

LIMIT = 2_000
CHUNK = b"x" * 500
DETAIL = {"detail": f"Isi permintaan terlalu besar: paling banyak {LIMIT} byte"}
POSTS = [
    *CHATS,
    *(f"{path}/stream" for path in CHATS),
    *(f"/{agent}/review{end}" for agent in ("hitl", "subagents") for end in ("", "/stream")),
    *(f"/playground/{what}{end}" for what in ("messages", "resume") for end in ("", "/stream")),
]


@pytest.fixture
def app() -> FastAPI:
    return create_app(Settings(request_max_bytes=LIMIT, playground_enabled=True))


class Client:
    """Speaks ASGI itself, so that it knows how much of its body was read."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self.read = 0

    def post(
        self, path: str, chunks: Iterator[bytes], **headers: str
    ) -> tuple[int, dict[str, Any], dict[str, str]]:
        """Return the status, the body and the headers of the response."""
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            chunk = next(chunks, None)
            self.read += len(chunk or b"")
            return {"type": "http.request", "body": chunk or b"", "more_body": chunk is not None}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "headers": [
                (b"content-type", b"application/json"),
                *((k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()),
            ],
        }
        asyncio.run(self._app(scope, receive, send))
        start, *parts = sent
        body = b"".join(part.get("body", b"") for part in parts)
        answered = {name.decode(): value.decode() for name, value in start["headers"]}
        return start["status"], json.loads(body), answered


@pytest.mark.parametrize("path", POSTS)
def test_a_body_that_announces_too_much_is_not_read_at_all(app: FastAPI, path: str) -> None:
    client = Client(app)

    status, body, headers = client.post(path, repeat(CHUNK), content_length=str(LIMIT + 1))

    assert (status, body) == (413, DETAIL)
    assert headers["x-request-id"]
    assert client.read == 0


@pytest.mark.parametrize("more", [{}, {"idempotency_key": "k"}], ids=["plain", "with a key"])
@pytest.mark.parametrize("path", POSTS)
def test_an_endless_body_in_chunks_is_read_up_to_the_limit(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, path: str, more: dict[str, str]
) -> None:
    monkeypatch.setenv("LLM_MODEL", "demo")
    client = Client(app)

    status, body, headers = client.post(path, repeat(CHUNK), transfer_encoding="chunked", **more)

    assert (status, body) == (413, DETAIL)
    assert headers["x-request-id"]
    assert client.read == LIMIT + len(CHUNK)


def test_a_body_that_lies_about_its_length_is_counted_all_the_same(app: FastAPI) -> None:
    status, body, _ = Client(app).post("/chat", repeat(CHUNK), content_length="5")

    assert (status, body) == (413, DETAIL)


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_of_just_the_limit_is_read(app: FastAPI, announced: bool) -> None:
    pieces = iter([b'{"message": "', *[b"x"] * (LIMIT - 15), b'" '])
    headers = {"content_length": str(LIMIT)} if announced else {}

    status, body, _ = Client(app).post("/chat", pieces, **headers)

    # It ends in the middle of the JSON object, which is said only of a body that was read.
    assert status == 422, body
    assert body["detail"][0]["type"] == "json_invalid"


def test_every_allowed_message_and_edit_has_room(
    memory_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    emoji = json.dumps("😀")[1:-1]  # the longest way to write a character
    longest_message = json.dumps("😀" * MAX_MESSAGE_CHARS)
    longest_argument = emoji * (MAX_ARGUMENT_CHARS - 2)
    edit = f'{{"type":"edit","edited_action":{{"name":"x","args":{{"a":"{longest_argument}"}}}}}}'
    bodies = {
        "/chat": f'{{"message":{longest_message}}}',
        "/hitl/review": f'{{"thread_id":"t","decisions":[{",".join([edit] * 4)}]}}',
    }
    memory_service.model_says("Halo.")

    statuses = {
        path: memory_service.client.post(
            path, content=body, headers={"content-type": "application/json"}
        ).status_code
        for path, body in bodies.items()
    }

    assert statuses == {"/chat": 200, "/hitl/review": 400}  # nothing waits there


def test_the_room_grows_with_the_limits_it_is_for() -> None:
    wider = Settings(message_max_chars=MAX_MESSAGE_CHARS + 1)

    assert wider.request_max_bytes == Settings().request_max_bytes + 12


def test_the_service_goes_on_after_a_refusal(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_MODEL", "demo")
    with TestClient(app) as client:
        refused = client.post("/chat", content=repeat(CHUNK, 9))
        answered = client.post("/chat", json={"message": "Hai"})

    assert (refused.status_code, answered.status_code) == (413, 200)
