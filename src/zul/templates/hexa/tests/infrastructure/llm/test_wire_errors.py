import email.utils
import time

import httpx
import openai
import pytest
from langchain_core import exceptions as langchain_errors

from src.application.errors import ModelCallError, ModelTimeoutError
from src.infrastructure.AI.llm.errors import (
    is_retryable,
    retry_after_seconds,
    translate_model_error,
)

_SECRET = "sk-test-123 postgresql://user:password@host/db"
_REQUEST = httpx.Request("POST", "http://127.0.0.1:9/v1")


def _answered(status: int, **headers: str) -> httpx.HTTPStatusError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = httpx.Response(status, headers=named, request=_REQUEST, text=_SECRET)
    return httpx.HTTPStatusError(_SECRET, request=_REQUEST, response=response)


def _caused_by(cause: Exception) -> Exception:
    error = RuntimeError(_SECRET)
    error.__cause__ = cause
    return error


def _while_handling(context: Exception) -> Exception:
    error = RuntimeError(_SECRET)
    error.__context__ = context
    return error


@pytest.mark.parametrize(
    "error",
    [
        TimeoutError(_SECRET),
        httpx.ReadTimeout(_SECRET),
        httpx.ConnectTimeout(_SECRET),
        httpx.PoolTimeout(_SECRET),
        openai.APITimeoutError(request=_REQUEST),  # type: ignore[arg-type]
        langchain_errors.ModelTimeoutError(_SECRET),
        _caused_by(httpx.ReadTimeout(_SECRET)),
        _while_handling(_caused_by(TimeoutError(_SECRET))),
    ],
    ids=repr,
)
def test_every_timeout_is_a_timeout(error: Exception) -> None:
    translated = translate_model_error(error)
    assert isinstance(translated, ModelTimeoutError)
    assert is_retryable(error)


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (httpx.ConnectError(_SECRET), True),
        (httpx.RemoteProtocolError(_SECRET), True),
        (ConnectionResetError(_SECRET), True),
        (langchain_errors.ModelConnectionError(_SECRET), True),
        (_caused_by(httpx.ConnectError(_SECRET)), True),
        (_answered(429), True),
        (_answered(500), True),
        (_answered(529), True),
        (_answered(400), False),
        (_answered(401), False),
        (_answered(404), False),
        (langchain_errors.ModelAuthenticationError(_SECRET), False),
        (langchain_errors.ContextOverflowError(_SECRET), False),
        (ValueError(_SECRET), False),
        (KeyError(_SECRET), False),
    ],
    ids=repr,
)
def test_other_failures_keep_nothing_of_the_original_text(
    error: Exception, *, retryable: bool
) -> None:
    translated = translate_model_error(error)
    assert type(translated) is ModelCallError
    assert not set(_SECRET.split()) & set((str(translated) + repr(translated)).split())
    assert is_retryable(error) is retryable


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (_answered(401), "kunci API"),
        (_answered(404), "LLM_MODEL"),
        (_answered(429), "terlalu banyak permintaan"),
        (langchain_errors.ContextOverflowError(), "terlalu panjang"),
    ],
    ids=repr,
)
def test_the_text_says_what_to_mend(error: Exception, words: str) -> None:
    assert words in str(translate_model_error(error))


def test_an_error_of_the_application_stays_itself() -> None:
    error = ModelTimeoutError()
    assert translate_model_error(error) is error
    assert not is_retryable(error)


def test_errors_that_cause_each_other_are_translated() -> None:
    first, second = RuntimeError(), RuntimeError()
    first.__cause__, second.__cause__ = second, first
    assert type(translate_model_error(first)) is ModelCallError


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": "0.5"}, 0.5),
        ({"retry_after_ms": "1500", "retry_after": "7"}, 1.5),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-1"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "inf"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    error = _answered(429, **headers)
    assert retry_after_seconds(_caused_by(error)) == seconds
    assert translate_model_error(error).retry_after_seconds == seconds


def test_retry_after_may_be_a_date() -> None:
    date = email.utils.formatdate(time.time() + 60, usegmt=True)
    assert 57 < (retry_after_seconds(_answered(503, retry_after=date)) or 0) <= 60
