from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from src.infrastructure.settings import Settings
from src.interface.playground import page_router
from src.interface.playground.router import router


def mount_playground(app: FastAPI, settings: Settings) -> None:
    """Add the playground, and let pages of the configured origins call the service."""
    app.include_router(page_router.router)
    app.include_router(router)
    if settings.playground_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.playground_origins),
            allow_methods=["*"],
            allow_headers=["*"],
        )
