"""The HTTP application. Importing it builds no agent, reads no key and opens nothing."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import to_thread
from fastapi import FastAPI
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from src.infrastructure.database.connections import try_database
from src.infrastructure.database.stores import close_stores
from src.infrastructure.logs import configure_logging
from src.infrastructure.settings import Settings
from src.interface.http.errors import install_error_handlers
from src.interface.http.middleware import BodyLimitMiddleware, RequestContextMiddleware
from src.interface.http.openapi import DocumentedApi
from src.interface.http.routers import chat, hitl, subagents
from src.interface.http.streams.responses import get_runs

TITLE = "zul-hexa-template"

# Hundreds of turns that wait for their models keep so many objects that the collector, left as it
# is, looks through all of them again and again: a sixth of a worker's CPU time.
COLLECTOR_THRESHOLD = 50_000


class Health(BaseModel):
    """The service is up."""

    status: str = "ok"


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Set how many requests run at the same time; at the end let runs finish, close the stores.

    The database is opened beside the start, so that a wrong ``DATABASE_URL`` shows in the log at
    once. The server starts all the same: ``/health`` tells that it lives, and a database may come
    later than its clients.
    """
    settings = Settings()
    gc.set_threshold(COLLECTOR_THRESHOLD)
    to_thread.current_default_thread_limiter().total_tokens = settings.worker_threads
    opening = asyncio.create_task(run_in_threadpool(try_database))
    yield
    await opening
    await get_runs().drain(settings.shutdown_seconds)
    close_stores()


def create_app(settings: Settings) -> FastAPI:
    """Put the application together."""
    configure_logging(settings.log_level)
    app = DocumentedApi(title=TITLE, lifespan=lifespan)
    app.add_middleware(BodyLimitMiddleware, max_bytes=settings.request_max_bytes)
    app.add_middleware(RequestContextMiddleware)  # the one added last is the outermost
    install_error_handlers(app)
    for module in (chat, hitl, subagents):
        app.include_router(module.router)
        app.include_router(module.streams)

    # Asynchronous: it answers although every worker thread is busy.
    @app.get("/health", tags=["health"])
    async def health() -> Health:
        """Tell that the service is up."""
        return Health()

    if settings.playground_enabled:
        from src.interface.playground.mounting import mount_playground  # noqa: PLC0415 - rarely on

        mount_playground(app, settings)
    return app


app = create_app(Settings())
