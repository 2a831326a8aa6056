"""What the service answers when something it needs fails, and that the conversation goes on."""

import asyncio
import io
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from langchain_core.tools import tool
from langgraph.types import Command, interrupt

from src.application.errors import ModelCallError, ModelTimeoutError
from src.infrastructure.logs import MaskingFormatter
from src.infrastructure.settings import Settings
from src.interface.http.controllers import chat_controller
from src.interface.http.main import create_app
from tests.application.scenario import (
    APPROVE,
    asks_for,
    assert_well_formed,
    call,
    email_to,
    results_of,
    weather_in,
)
from tests.fakes.scripted_model import ScriptedChatModel
from tests.http.service import CHATS, USE_CASES, Service

SECRETS = ["sk-test-1234567890", "postgresql://app:hunter2@db/app", "/srv/secrets/oven.key"]
UNAVAILABLE = "Model bahasa tidak dapat dihubungi. Coba lagi nanti."


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The log as it is written, with secrets masked."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(MaskingFormatter())
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


def broken_tool(service: Service, error: BaseException) -> None:
    @tool
    def get_weather(location: str) -> str:
        """Get the weather of a city."""
        raise error

    service.use_tools(get_weather, service.office.send_email, gated={"send_email"})


def model_is_down(service: Service) -> None:
    service.model_says(RuntimeError(f"429 for {SECRETS[0]} at {SECRETS[1]}"))


def model_is_slow(service: Service) -> None:
    service.model_says(ModelTimeoutError())


def tool_raises(service: Service) -> None:
    broken_tool(service, ValueError(f"no access to {SECRETS[2]} with {SECRETS[0]}"))
    service.model_says(asks_for(weather_in("Bandung")))


def tool_exits(service: Service) -> None:
    broken_tool(service, SystemExit(2))
    service.model_says(asks_for(weather_in("Bandung")))


def tool_is_cancelled(service: Service) -> None:
    broken_tool(service, asyncio.CancelledError())
    service.model_says(asks_for(weather_in("Bandung")))


def tool_asks_what_nobody_can_answer(service: Service) -> None:
    @tool
    def get_weather(location: str) -> str:
        """Get the weather of a city."""
        return str(interrupt({"question": f"Which {location}?"}))

    service.use_tools(get_weather, gated=set())
    service.model_says(asks_for(weather_in("Bandung")))


FAILURES = [
    (model_is_down, "llm_unavailable", UNAVAILABLE),
    (model_is_slow, "llm_timeout", "Model bahasa tidak menjawab tepat waktu. Coba lagi nanti."),
    (tool_raises, "tool_failed", "Tool `get_weather` gagal dijalankan"),
    (tool_exits, "tool_failed", "Tool `get_weather` gagal dijalankan"),
    (tool_is_cancelled, "tool_failed", "Tool `get_weather` gagal dijalankan"),
    (tool_asks_what_nobody_can_answer, "tool_failed", "Tool `get_weather` gagal dijalankan"),
]


@pytest.mark.parametrize(("fail", "code", "detail"), FAILURES, ids=lambda part: str(part)[:20])
@pytest.mark.parametrize("path", ["/chat", "/hitl/chat"])
def test_b108_a_failure_is_a_500_with_a_safe_reason_and_the_conversation_goes_on(
    service: Service,
    log: io.StringIO,
    path: str,
    fail: Callable[[Service], None],
    code: str,
    detail: str,
) -> None:
    fail(service)

    failed = service.chat("Cuaca?", path=path)
    service.model_says("Halo.")
    next_one = service.chat("Hai", path=path)

    assert failed.status_code == 500
    request_id = failed.headers["X-Request-ID"]
    assert failed.json() == {"detail": detail, "code": code, "request_id": request_id}
    assert f"[{request_id}]" in log.getvalue()
    assert "Traceback" in log.getvalue()
    assert not [secret for secret in SECRETS[:2] if secret in log.getvalue() + failed.text]
    assert (next_one.status_code, next_one.json()["answer"]) == (200, "Halo.")
    assert_well_formed(service.messages(path))


@pytest.mark.parametrize("fail", [model_is_down, model_is_slow])
def test_b84_the_same_message_again_is_stored_once(
    service: Service, fail: Callable[[Service], None]
) -> None:
    fail(service)
    assert service.chat("Hai").status_code == 500
    service.model_says("Halo.")

    assert service.chat("Hai").json()["answer"] == "Halo."

    assert [message.text for message in service.messages()] == ["Hai", "Halo."]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (asks_for(weather_in("Bandung")), "tool_failed"),
        (RuntimeError("429"), "llm_unavailable"),
        (ModelTimeoutError(), "llm_timeout"),
    ],
    ids=["its tool raises", "its model is down", "its model is slow"],
)
def test_a_supervisor_survives_a_subagent_that_fails(
    service: Service, reply: Any, code: str
) -> None:
    broken_tool(service, ValueError("kaput"))
    service.model_says(asks_for(call("clerk", "d1", query="Cuaca?")), reply, "Halo.")

    failed = service.chat("Cuaca?", path="/subagents/chat")
    next_one = service.chat("Hai", path="/subagents/chat")

    assert (failed.status_code, failed.json()["code"]) == (500, code)
    assert next_one.json()["answer"] == "Halo."
    assert_well_formed(service.messages("/subagents/chat"))


def test_b61_the_neighbours_of_a_failed_tool_keep_their_results(service: Service) -> None:
    broken_tool(service, ValueError("kaput"))
    service.model_says(asks_for(weather_in("Bandung"), email_to("alice@example.com")), "Halo.")
    service.chat("Cuaca dan email", path="/hitl/chat")

    failed = service.review(APPROVE)
    service.chat("Hai", path="/hitl/chat")

    assert failed.json()["code"] == "tool_failed"
    assert service.office.sent == ["alice@example.com"]
    assert [result.status for result in results_of(service.messages("/hitl/chat"))] == [
        "error",
        "success",
    ]


def test_a_tool_that_only_says_where_to_go_leaves_no_call_without_a_result(
    memory_service: Service,
) -> None:
    @tool
    def get_weather(location: str) -> Command[str]:
        """Get the weather of a city."""
        return Command(goto=())

    memory_service.use_tools(get_weather, gated=set())
    memory_service.model_says(asks_for(weather_in("Bandung")), "Halo.")

    assert memory_service.chat("Cuaca?").json()["answer"] == "Halo."
    assert_well_formed(memory_service.messages())


def test_a_failure_after_an_approval_is_not_an_invitation_to_approve_again(
    service: Service,
) -> None:
    service.model_says(asks_for(email_to("alice@example.com")))
    service.chat("Kirim", path="/hitl/chat")
    model_is_down(service)

    failed = service.review(APPROVE)
    again = service.review(APPROVE)
    service.model_says("Terkirim.")
    retried = service.chat("Kirim", path="/hitl/chat")

    assert (failed.status_code, again.status_code) == (500, 400)
    assert retried.json()["answer"] == "Terkirim."
    assert service.office.sent == ["alice@example.com"]


def test_the_wait_that_a_provider_asks_for_is_passed_on(memory_service: Service) -> None:
    memory_service.model_says(ModelCallError(retry_after_seconds=1.2), ModelCallError())

    asked, silent = memory_service.chat("Hai"), memory_service.chat("Hai")

    assert asked.headers["Retry-After"] == "2"
    assert "Retry-After" not in silent.headers


@pytest.mark.parametrize("path", CHATS)
def test_what_nobody_expected_is_an_internal_error(
    memory_service: Service, log: io.StringIO, path: str
) -> None:
    class Surprised:
        def execute(self, *_: Any, **__: Any) -> str:
            raise LookupError(f"surprise: {SECRETS[0]}")

        send_message = execute

    for usecase in USE_CASES:
        memory_service.app.dependency_overrides[usecase] = Surprised

    response = memory_service.chat("Hai", path=path)

    assert response.status_code == 500
    assert response.json() == {
        "detail": "Terjadi kesalahan di server.",
        "code": "internal",
        "request_id": response.headers["X-Request-ID"],
    }
    assert "surprise" in log.getvalue()
    assert SECRETS[0] not in log.getvalue()


@pytest.mark.parametrize("path", ["/hitl/chat", "/subagents/chat"])
def test_an_agent_whose_lists_do_not_fit_names_the_fault(
    memory_service: Service, log: io.StringIO, path: str
) -> None:
    memory_service.use_tools(*memory_service.office.tools, gated={"sendmail"})

    response = memory_service.chat("Hai", path=path)

    assert response.status_code == 500
    assert response.json()["code"] == "internal"
    assert "tools_requiring_approval" in response.json()["detail"]
    assert "sendmail" in response.json()["detail"]
    assert response.json()["detail"] in log.getvalue()


class TestServiceWithoutAKey:
    @pytest.mark.parametrize("path", CHATS)
    def test_b110_names_the_variable_at_the_first_chat(self, path: str) -> None:
        with TestClient(create_app(Settings())) as client:
            response = client.post(path, json={"message": "Hai"})

        assert response.status_code == 500
        assert response.json()["code"] == "llm_not_configured"
        assert "OPENAI_API_KEY" in response.json()["detail"]

    def test_b110_is_healthy_and_documented(self) -> None:
        with TestClient(create_app(Settings())) as client:
            pages = [client.get(path) for path in ("/health", "/docs", "/openapi.json")]

        assert [page.status_code for page in pages] == [200, 200, 200]

    def test_works_as_soon_as_it_is_configured(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with TestClient(create_app(Settings())) as client:
            before = client.post("/chat", json={"message": "Hai"})
            monkeypatch.setattr(
                chat_controller, "get_llm_model", lambda: ScriptedChatModel(script=["Halo."])
            )
            after = client.post("/chat", json={"message": "Hai"})

        assert (before.status_code, after.status_code) == (500, 200)

    def test_refuses_a_name_that_means_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LLM_MODEL", "nobody:nothing")

        with TestClient(create_app(Settings())) as client:
            response = client.post("/chat", json={"message": "Hai"})

        assert response.json()["code"] == "llm_not_configured"
        assert "nobody" in response.json()["detail"]


class TestRequestId:
    def test_is_made_by_the_server(self, memory_service: Service) -> None:
        ids = {memory_service.client.get("/health").headers["X-Request-ID"] for _ in range(3)}

        assert len(ids) == 3

    @pytest.mark.parametrize("given", ["order-42", "A.b_c-1", "x" * 64])
    def test_is_taken_from_the_client(self, memory_service: Service, given: str) -> None:
        model_is_down(memory_service)

        response = memory_service.client.post(
            "/chat", json={"message": "Hai"}, headers={"X-Request-ID": given}
        )

        assert response.headers["X-Request-ID"] == response.json()["request_id"] == given

    @pytest.mark.parametrize("given", ["", "a b", "x" * 65, "line\tbreak", "{}"], ids=repr)
    def test_is_replaced_when_it_could_confuse_a_log(
        self, memory_service: Service, given: str
    ) -> None:
        response = memory_service.client.get("/health", headers={"X-Request-ID": given})

        assert len(response.headers["X-Request-ID"]) == 32
