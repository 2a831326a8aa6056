"""Every request that is refused, in one table: what is asked, the status, and what the body says.

The table is run against a conversation of ``/hitl`` in which one action waits and one of each other
agent that has just begun; a refused request leaves them as they are.
"""

import asyncio
import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from src.domain.exceptions import DomainError
from src.infrastructure.database.stores import get_stores
from src.infrastructure.settings import Settings
from src.interface.http.main import create_app
from tests.application.scenario import APPROVE, REJECT, asks_for, email_to
from tests.http.service import CHATS, USE_CASES, Service

JSON = {"content-type": "application/json"}
WAITING = "waiting"
UNKNOWN = "unknown"
EMPTY_MESSAGE = "Message tidak boleh kosong"
NOTHING_PENDING = "Tidak ada aksi yang menunggu persetujuan di percakapan ini"
STILL_PENDING = "Masih ada aksi yang menunggu persetujuan. Kirim keputusannya dulu."
STALE = (
    "Keputusan ini bukan untuk aksi yang sedang menunggu. "
    "Muat ulang percakapan dan periksa aksinya lagi."
)


def message(text: Any, **more: Any) -> dict[str, Any]:
    return {"message": text, **more}


def review(*decisions: Any, thread_id: Any = WAITING, **more: Any) -> dict[str, Any]:
    return {"thread_id": thread_id, "decisions": list(decisions), **more}


WRONG_MESSAGES: dict[str, Any] = {
    "no message": {},
    "no object": [],
    "an empty message": message(""),
    "a message that is no text": message(5),
    "a message that is null": message(None),
    "a message with NUL": message("a\x00b"),
    "a message with half a surrogate pair": message("a\ud800b"),
    "an empty thread id": message("Hai", thread_id=""),
    "a blank thread id": message("Hai", thread_id="  "),
    "a number as thread id": message("Hai", thread_id=1),
    "a truth value as thread id": message("Hai", thread_id=True),
    "an object as thread id": message("Hai", thread_id={}),
    "NUL in the thread id": message("Hai", thread_id="a\x00b"),
    "a line break in the thread id": message("Hai", thread_id="a\nb"),
    "an escape character in the thread id": message("Hai", thread_id="a\x1b[31m"),
    "half a surrogate pair in the thread id": message("Hai", thread_id="\udc00"),
    "a thread id that is too long": message("Hai", thread_id="x" * 201),
}

WRONG_REVIEWS: dict[str, Any] = {
    "no thread id": {"decisions": [APPROVE]},
    "a thread id that is null": review(APPROVE, thread_id=None),
    "a blank thread id": review(APPROVE, thread_id=" "),
    "NUL in the thread id": review(APPROVE, thread_id="a\x00"),
    "no decisions": {"thread_id": WAITING},
    "decisions that are null": {"thread_id": WAITING, "decisions": None},
    "decisions that are an object": {"thread_id": WAITING, "decisions": {}},
    "decisions that are a text": {"thread_id": WAITING, "decisions": "approve"},
    "no decision": review(),
    "a decision that is null": review(None),
    "a decision that is a text": review("approve"),
    "a decision without a type": review({}),
    "a decision of an unknown type": review({"type": "postpone"}),
    "a type in the wrong case": review({"type": "Approve"}),
    "an edit to a text": review({"type": "edit", "edited_action": "send_email"}),
    "an edit without a name": review({"type": "edit", "edited_action": {"args": {}}}),
    "an edit without args": review({"type": "edit", "edited_action": {"name": "send_email"}}),
    "an empty name": review({"type": "edit", "edited_action": {"name": "", "args": {}}}),
    "a name that no tool has": review(
        {"type": "edit", "edited_action": {"name": "send email", "args": {}}}
    ),
    "a name that is too long": review(
        {"type": "edit", "edited_action": {"name": "x" * 129, "args": {}}}
    ),
    "a name that is a number": review({"type": "edit", "edited_action": {"name": 1, "args": {}}}),
    "args that are a list": review({"type": "edit", "edited_action": {"name": "x", "args": []}}),
    "args that are a text": review({"type": "edit", "edited_action": {"name": "x", "args": "{}"}}),
    "args that are empty text": review(
        {"type": "edit", "edited_action": {"name": "x", "args": ""}}
    ),
    "args that are null": review({"type": "edit", "edited_action": {"name": "x", "args": None}}),
    "a review id that is a number": review(APPROVE, review_id=7),
}

BROKEN_RULES = [
    *[(path, message("  \n"), EMPTY_MESSAGE) for path in CHATS],
    ("/hitl/chat", message(" ", thread_id=WAITING), EMPTY_MESSAGE),
    ("/hitl/chat", message("Batal", thread_id=WAITING), STILL_PENDING),
    ("/hitl/review", review(APPROVE, thread_id=UNKNOWN), NOTHING_PENDING),
    ("/hitl/review", review(APPROVE, APPROVE, thread_id=UNKNOWN), NOTHING_PENDING),
    ("/hitl/review", review({"type": "edit"}, thread_id=UNKNOWN), NOTHING_PENDING),
    ("/hitl/review", review(APPROVE, thread_id=UNKNOWN, review_id="x"), NOTHING_PENDING),
    ("/subagents/review", review(APPROVE, thread_id=WAITING), NOTHING_PENDING),
    ("/subagents/review", review(APPROVE, thread_id=UNKNOWN), NOTHING_PENDING),
    (
        "/hitl/review",
        review(APPROVE, APPROVE),
        "Butuh 1 keputusan (satu per aksi), diterima 2",
    ),
    (
        "/hitl/review",
        review({"type": "edit"}, APPROVE),
        "Butuh 1 keputusan (satu per aksi), diterima 2",
    ),
    (
        "/hitl/review",
        review({"type": "edit"}),
        "Keputusan 'edit' wajib menyertakan 'edited_action'",
    ),
    (
        "/hitl/review",
        review({"type": "edit", "edited_action": None}),
        "Keputusan 'edit' wajib menyertakan 'edited_action'",
    ),
    ("/hitl/review", review(APPROVE, review_id="another pause"), STALE),
    ("/hitl/review", review(APPROVE, APPROVE, review_id="another pause"), STALE),
    ("/hitl/review", review(APPROVE, review_id=""), STALE),
]

TABLE = [
    *[
        pytest.param(path, body, 422, None, id=f"{path}: {name}")
        for path in CHATS
        for name, body in WRONG_MESSAGES.items()
    ],
    *[
        pytest.param(path, body, 422, None, id=f"{path}: {name}")
        for path in ("/hitl/review", "/subagents/review")
        for name, body in WRONG_REVIEWS.items()
    ],
    *[
        pytest.param(path, body, 400, detail, id=f"{path}: {body}")
        for path, body, detail in BROKEN_RULES
    ],
]


@pytest.mark.parametrize(("path", "body", "status", "detail"), TABLE)
def test_a_refused_request_says_why_and_changes_nothing(
    memory_service: Service, path: str, body: Any, status: int, detail: str | None
) -> None:
    service = memory_service
    service.model_says(asks_for(email_to("alice@example.com")))
    service.chat("Kirim", WAITING, "/hitl/chat")
    before = service.checkpoints("/hitl/chat", WAITING)

    response = service.client.post(path, content=json.dumps(body).encode(), headers=JSON)

    assert response.status_code == status
    said = response.json()["detail"]
    if detail is None:
        assert all({"loc", "msg", "type"} <= set(fault) for fault in said)
    else:
        assert response.json() == {"detail": detail}
    assert len(service.model.inputs) == 1
    assert service.checkpoints("/hitl/chat", WAITING) == before
    assert service.checkpoints(path.replace("review", "chat"), UNKNOWN) == 0

    service.model_says("Baik.")
    assert service.review(REJECT, thread_id=WAITING).json()["answer"] == "Baik."
    assert service.office.sent == []


@pytest.mark.parametrize(
    "body", [b"", b"{", b"not json", b'{"message": "\xff"}', b"null"], ids=repr
)
@pytest.mark.parametrize("path", [*CHATS, "/hitl/review", "/subagents/review"])
def test_a_body_that_is_no_json_is_refused(memory_service: Service, path: str, body: bytes) -> None:
    response = memory_service.client.post(path, content=body, headers=JSON)

    assert response.status_code == 422
    assert memory_service.model.inputs == []


BLANK = json.dumps({"message": " "})


@pytest.mark.parametrize(
    "body",
    [
        BLANK.encode("utf-8-sig"),
        BLANK.encode("utf-16"),
        (BLANK[:-1] + f', "more": {"[" * 300}{"]" * 300}}}').encode(),
    ],
    ids=["byte order mark", "utf-16", "deep"],
)
@pytest.mark.parametrize("path", CHATS)
def test_a_broken_rule_is_400_however_the_body_is_written(
    memory_service: Service, path: str, body: bytes
) -> None:
    response = memory_service.client.post(path, content=body, headers=JSON)

    assert (response.status_code, response.json()) == (400, {"detail": EMPTY_MESSAGE})


@pytest.mark.parametrize("headers", [[], [(b"idempotency-key", b"k")]], ids=["plain", "with a key"])
@pytest.mark.parametrize("path", ["/chat", "/hitl/chat/stream"])
def test_a_client_that_leaves_while_it_sends_is_no_failure_of_the_service(
    memory_service: Service,
    caplog: pytest.LogCaptureFixture,
    path: str,
    headers: list[tuple[bytes, bytes]],
) -> None:
    arrived = iter([{"type": "http.request", "body": b'{"message": "Ha', "more_body": True}])

    async def receive() -> Any:
        return next(arrived, {"type": "http.disconnect"})

    async def send(_: Any) -> None:
        pass

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(b"content-type", b"application/json"), *headers],
    }
    asyncio.run(memory_service.app(scope, receive, send))

    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
    assert memory_service.model.inputs == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/chat", {}),
        ("/hitl/chat", message("")),
        ("/hitl/review", review()),
        ("/subagents/chat", []),
    ],
)
def test_a_wrong_body_is_told_so_even_by_a_service_that_cannot_be_built(
    path: str, body: Any
) -> None:
    with TestClient(create_app(Settings())) as client:
        response = client.post(path, json=body)

    assert response.status_code == 422
    assert isinstance(response.json()["detail"], list)


def test_a_refusal_does_not_echo_a_huge_or_unprintable_input(memory_service: Service) -> None:
    body = json.dumps(message("a" * 100_000 + "\x00\ud800")).encode()

    response = memory_service.client.post("/chat", content=body, headers=JSON)

    assert response.status_code == 422
    assert len(response.content) < 1_000


class QuotaUsedUpError(DomainError):
    """A rule that a project adds later."""


class DailyQuotaUsedUpError(QuotaUsedUpError):
    """A special case of it."""


@pytest.mark.parametrize("rule", [DomainError, QuotaUsedUpError, DailyQuotaUsedUpError])
@pytest.mark.parametrize("path", CHATS)
def test_a_rule_that_is_added_later_is_answered_like_the_others(
    memory_service: Service, path: str, rule: type[DomainError]
) -> None:
    memory_service.model_says("Halo.")

    class Refusing:
        def execute(self, *_: Any, **__: Any) -> str:
            raise rule("Jatah hari ini habis")

        send_message = execute

    overrides = memory_service.app.dependency_overrides
    for usecase in USE_CASES:
        overrides[usecase] = Refusing

    response = memory_service.chat("Hai", path=path)

    assert response.status_code == 400
    assert response.json() == {"detail": "Jatah hari ini habis"}
    assert memory_service.model.inputs == []


@pytest.mark.parametrize("path", CHATS)
def test_a_busy_conversation_is_409_and_others_are_served(
    service: Service, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setenv("CONVERSATION_WAIT_SECONDS", "0")
    service.model_says("Halo.", "Halo.")
    scope = path.strip("/").partition("/")[0]

    with get_stores(scope).lock.hold("t"):
        busy = service.chat("Hai", "t", path)
        other = service.chat("Hai", "somebody else", path)
    free = service.chat("Hai", "t", path)

    assert busy.status_code == 409
    assert busy.json() == {
        "detail": "Percakapan ini sedang dipakai permintaan lain. Coba lagi sebentar lagi."
    }
    assert (other.status_code, free.status_code) == (200, 200)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize("agent", ["chat", "hitl", "subagents"])
def test_a_conversation_that_does_not_exist_is_404(
    memory_service: Service, agent: str, method: str
) -> None:
    response = memory_service.client.request(method, f"/{agent}/threads/{UNKNOWN}")

    assert (response.status_code, response.json()) == (
        404,
        {"detail": "Percakapan tidak ditemukan"},
    )
