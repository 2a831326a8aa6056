"""Failures of models and tools, seen from every endpoint and stream."""

from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool

from src.application.errors import ModelTimeoutError
from tests.application.scenario import APPROVE, asks_for, assert_well_formed, email_to, weather_in
from tests.replies.conftest import MakeService, with_reviews

SECRETS = ("sk-test-1234567890", "postgresql://app:hunter2@db/app", "/srv/secrets/oven.key")


@pytest.fixture
def broken_tools() -> list[BaseTool]:
    @tool
    def get_weather(location: str) -> str:
        """Get the weather of a city."""
        raise ValueError(SECRETS)

    @tool
    def send_email(to: str) -> str:
        """Send an e-mail."""
        raise ValueError(SECRETS)

    return [get_weather, send_email]


FAILURES: dict[str, tuple[Any, str]] = {
    "the model is down": (RuntimeError(f"429 for {SECRETS}"), "llm_unavailable"),
    "the model is slow": (ModelTimeoutError(), "llm_timeout"),
    "a tool raises": (asks_for(weather_in("Bandung")), "tool_failed"),
}


def assert_safe_failure(response: Any, code: str) -> None:
    assert response.status_code == 500
    body = response.json()
    assert (body["code"], bool(body["detail"]), bool(body["request_id"])) == (code, True, True)
    assert not [secret for secret in SECRETS if secret in response.text]


@pytest.mark.parametrize(("reply", "code"), FAILURES.values(), ids=FAILURES.keys())
@pytest.mark.usefixtures("each_store")
def test_b61_b108_a_failure_has_a_safe_reason_and_the_conversation_goes_on(
    serve: MakeService, broken_tools: list[BaseTool], path: str, reply: Any, code: str
) -> None:
    service = serve(path, reply, "Halo.", tools=broken_tools)

    assert_safe_failure(service.say("Cuaca?"), code)
    assert service.answer("Hai") == "Halo."
    assert_well_formed(service.messages)


@with_reviews
def test_b61_b108_a_tool_that_fails_after_its_approval_does_the_same(
    serve: MakeService, broken_tools: list[BaseTool], path: str
) -> None:
    service = serve(path, asks_for(email_to("alice")), "Halo.", tools=broken_tools)
    service.say("Kirim")

    assert_safe_failure(service.decide(APPROVE), "tool_failed")
    assert service.answer("Hai") == "Halo."
    assert_well_formed(service.messages)
