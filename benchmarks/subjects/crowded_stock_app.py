"""LangGraph's own parts behind FastAPI, with as many worker threads as the service has."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from anyio import to_thread
from fastapi import FastAPI

from benchmarks.subjects.stock import make_app

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

THREADS = 1_000


@asynccontextmanager
async def _with_threads(_: Any) -> AsyncIterator[None]:
    to_thread.current_default_thread_limiter().total_tokens = THREADS
    yield


app = FastAPI(lifespan=_with_threads)
app.mount("/", make_app())
