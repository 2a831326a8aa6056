"""The ``Idempotency-Key`` header on POST endpoints.

A client that cannot know whether its request arrived sends it again under the same key: it gets
the first answer, and nothing runs twice. The rules are those of the IETF draft
"The Idempotency-Key HTTP Header Field": the same key with another request is 422, a request that
is still running is 409. Only successful answers are kept; a failed request may be tried again
under its key, and the conversation's own guarantees keep its actions from running twice.
"""

import hashlib
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import HTTPException, Request, Response
from starlette.concurrency import run_in_threadpool

from src.application.errors import ConversationBusyError, StoreError
from src.application.ports.answer_store import AnswerStore, StoredAnswer, answers_lock
from src.application.ports.conversation_lock import ConversationLock

logger = logging.getLogger(__name__)

HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotency-Replayed"
MAX_KEY_LENGTH = 255
# What every client can send in a header. The draft wants quotes around it, most clients send none.
KEY_PATTERN = f'^"?[!#-~]([ -~]{{0,{MAX_KEY_LENGTH - 2}}}[!#-~])?"?$'

_LOCK_PREFIX = "\x1fidempotency:"  # no thread id can start like this: they are printable

KEYED: dict[str, Any] = {
    "parameters": [
        {
            "name": HEADER,
            "in": "header",
            "required": False,
            "description": "Makes it safe to send the same request again: nothing runs twice",
            "schema": {"type": "string", "pattern": KEY_PATTERN},
        }
    ]
}
"""The documentation of an operation that honours the key."""

REPLAYED: dict[str, Any] = {
    **KEYED,
    "responses": {
        "200": {
            "headers": {
                REPLAYED_HEADER: {
                    "description": "This is the answer that the key was given before",
                    "schema": {"type": "string", "const": "true"},
                }
            }
        }
    },
}
"""The same of one that says when it gives an answer again."""

Handler = Callable[[Request], Awaitable[Response]]


async def answer_once(
    request: Request, handle: Handler, *, lock: ConversationLock, answers: AnswerStore
) -> Response:
    """Answer a request that carries a key.

    Raises:
        HTTPException: 400 for an unusable key, 409 while the first request is still running,
            422 when the key was used for another request.
    """
    key = qualified_key(request)
    fingerprint = hashlib.sha256(await request.body()).hexdigest()
    async with _held(lock, key):
        kept = await run_in_threadpool(answers.find, key)
        if kept is not None:
            return _replay(kept, fingerprint)
        async with _entered(lock.hold(answers_lock(await _thread_id_in(request) or key))):
            response = await handle(request)
            if response.status_code == 200:  # the one success these endpoints have
                await run_in_threadpool(_keep, answers, _kept(key, fingerprint, response))
            return response


def _keep(answers: AnswerStore, answer: StoredAnswer) -> None:
    """Keep an answer; where that fails the client gets it all the same, because it is true."""
    try:
        answers.save(answer)
    except StoreError:
        logger.exception("An answer could not be kept: its key counts as unused")


async def _thread_id_in(request: Request) -> str | None:
    """Return the conversation that a request names; a new one nobody else can know of."""
    try:
        body = await request.json()
    except (ValueError, RecursionError):
        return None
    thread_id = body.get("thread_id") if isinstance(body, dict) else None
    return thread_id if isinstance(thread_id, str) else None


def qualified_key(request: Request) -> str:
    """Return the request's key, made one with its endpoint.

    Raises:
        HTTPException: 400 for an unusable key.
    """
    header = request.headers[HEADER].strip()
    if re.fullmatch(KEY_PATTERN, header) is None:
        raise HTTPException(
            400,
            f"Header {HEADER} harus berisi 1 sampai {MAX_KEY_LENGTH} karakter ASCII yang tercetak",
        )
    key = header.strip('"')
    return hashlib.sha256(f"{request.method} {request.url.path}\n{key}".encode()).hexdigest()


def key_of_another_request() -> HTTPException:
    """Return the error of a request under a key that belongs to another one."""
    return HTTPException(422, f"{HEADER} ini sudah dipakai untuk permintaan lain")


@asynccontextmanager
async def _held(lock: ConversationLock, key: str) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(_entered(lock.hold(_LOCK_PREFIX + key, wait_seconds=0)))
        except ConversationBusyError:
            raise HTTPException(
                409, f"Permintaan dengan {HEADER} ini masih berjalan. Coba lagi sebentar lagi."
            ) from None
        yield


@asynccontextmanager
async def _entered(hold: AbstractContextManager[None]) -> AsyncIterator[None]:
    await run_in_threadpool(hold.__enter__)
    try:
        yield
    finally:
        await run_in_threadpool(hold.__exit__, None, None, None)


def _replay(kept: StoredAnswer, fingerprint: str) -> Response:
    if kept.fingerprint != fingerprint:
        raise key_of_another_request()
    return Response(
        kept.body,
        media_type="application/json",
        headers={REPLAYED_HEADER: "true"},
    )


def _kept(key: str, fingerprint: str, response: Response) -> StoredAnswer:
    body = bytes(response.body).decode()
    return StoredAnswer(
        key=key,
        fingerprint=fingerprint,
        thread_id=str(json.loads(body).get("thread_id", "")),
        body=body,
    )
