"""What the OpenAPI document says, where a search over it cannot tell what is missing."""

from typing import Any, get_args

import pytest

from src.application.errors import ModelCallError
from src.infrastructure.settings import Settings
from src.interface.http.errors import FailureCode
from src.interface.http.main import create_app
from tests.http.service import Service

document = create_app(Settings(playground_enabled=True)).openapi()
OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, operations in document["paths"].items()
    for method, operation in operations.items()
}
AGENTS = {name: it for name, it in OPERATIONS.items() if "health" not in name}
POSTS = {name: it for name, it in OPERATIONS.items() if name.startswith("POST")}
STREAMS = {name: it for name, it in OPERATIONS.items() if name.endswith("/stream")}
IGNORE_KEYS = {"POST /playground/messages", "POST /playground/resume"}


def headers(name: str, status: str) -> set[str]:
    return set(OPERATIONS[name]["responses"][status].get("headers", {}))


def content(operation: Any, status: str) -> dict[str, str]:
    """The name of the model by media type."""
    media = operation["responses"][status].get("content", {})
    return {kind: it["schema"].get("$ref", "").rpartition("/")[2] for kind, it in media.items()}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_response_has_the_id_of_its_request(name: str) -> None:
    for status in OPERATIONS[name]["responses"]:
        assert "X-Request-ID" in headers(name, status)


@pytest.mark.parametrize("name", AGENTS)
def test_every_refusal_and_failure_has_its_body(name: str) -> None:
    refused = {status: content(AGENTS[name], status) for status in ("400", "409", "413")}

    assert refused == {key: {"application/json": "Refusal"} for key in refused}
    assert content(AGENTS[name], "422") == {"application/json": "WrongShape"}
    assert content(AGENTS[name], "500") == {"application/json": "Failure"}
    assert "Retry-After" in headers(name, "500")


def test_a_failure_has_one_of_the_codes() -> None:
    schemas = document["components"]["schemas"]

    assert schemas["Failure"]["properties"]["code"]["enum"] == list(get_args(FailureCode))
    assert schemas["Failed"]["properties"]["code"]["enum"] == list(get_args(FailureCode))


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_key_is_documented_where_it_is_honoured(name: str) -> None:
    parameters = OPERATIONS[name].get("parameters", [])
    keys = [it for it in parameters if it["name"] == "Idempotency-Key"]
    is_honoured = name in POSTS.keys() - IGNORE_KEYS
    is_one_answer = is_honoured and name not in STREAMS

    assert [(it["in"], it["required"]) for it in keys] == [("header", False)] * is_honoured
    success = next(iter(OPERATIONS[name]["responses"]))
    assert ("Idempotency-Replayed" in headers(name, success)) == is_one_answer


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_one_of_events_whose_data_is_json(name: str) -> None:
    event = document["components"]["schemas"]["StreamEvent"]["properties"]["data"]

    assert content(STREAMS[name], "200") == {"text/event-stream": "StreamEvent"}
    assert (event["type"], event["contentMediaType"]) == ("string", "application/json")
    assert {"$ref": "#/components/schemas/Answered"} in event["contentSchema"]["anyOf"]


def test_what_is_documented_is_sent(memory_service: Service) -> None:
    memory_service.model_says("Halo.", ModelCallError(retry_after_seconds=1.5))
    body = {"message": "Hai", "thread_id": "t"}
    key = {"Idempotency-Key": "k"}

    memory_service.client.post("/chat", json=body, headers=key)
    again = memory_service.client.post("/chat", json=body, headers=key)
    failed = memory_service.chat("Hai?")

    assert again.headers["Idempotency-Replayed"] == "true"
    assert failed.status_code == 500
    assert failed.headers["Retry-After"] == "2"
    assert failed.headers["X-Request-ID"] == failed.json()["request_id"]
