"""A tool that hangs, at every endpoint and in every stream."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool

from src.application.AI.agents.limits import Limits
from src.application.AI.agents.tool_node import OUTCOME_UNKNOWN_MESSAGE
from tests.application.scenario import APPROVE, asks_for, call, email_to, results_of
from tests.replies.conftest import MakeService, with_reviews

SHORT = Limits(tool_seconds=0.2)


@pytest.fixture
def hung() -> Iterator[BaseTool]:
    let_go = threading.Event()

    @tool
    def send_email(to: str) -> str:
        """Send an email."""
        let_go.wait(timeout=30)
        return to

    yield send_email
    let_go.set()


def test_the_request_is_answered_and_the_conversation_free(
    serve: MakeService, path: str, hung: BaseTool
) -> None:
    replies: list[Any] = [asks_for(email_to("alice")), "Gagal.", "Halo."]
    service = serve(path, *replies, tools=[hung], gated=[], limits=SHORT)

    assert service.answer("Kirim") == "Gagal."
    assert (
        "send_email was not over within 0.2 seconds" in results_of(service.model.inputs[1])[0].text
    )
    assert service.answer("Halo") == "Halo."


@with_reviews
def test_an_approved_one_is_reported_as_unknown(
    serve: MakeService, path: str, hung: BaseTool
) -> None:
    replies: list[Any] = [asks_for(email_to("alice")), "Belum jelas.", "Halo."]
    service = serve(path, *replies, tools=[hung], limits=SHORT)
    service.say("Kirim")

    assert service.decide(APPROVE).json()["answer"] == "Belum jelas."
    assert results_of(service.model.inputs[1])[0].text == OUTCOME_UNKNOWN_MESSAGE
    assert service.answer("Halo") == "Halo."


def test_a_quick_neighbour_keeps_its_result(serve: MakeService, path: str, hung: BaseTool) -> None:
    @tool
    def greet() -> str:
        """Greet."""
        return "Hi"

    calls = asks_for(email_to("alice"), call("greet", "g1"))
    service = serve(path, calls, "Satu.", tools=[hung, greet], gated=[], limits=SHORT)

    assert service.answer("?") == "Satu."
    assert [r.status for r in results_of(service.last_input)] == ["error", "success"]
