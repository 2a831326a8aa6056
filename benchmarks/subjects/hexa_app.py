"""The generated service as it is, with the benchmark's model."""

from __future__ import annotations

import asyncio
import logging

from src.infrastructure.AI.llm import background
from src.interface.http.controllers import chat_controller, hitl_controller
from src.interface.http.main import app

from benchmarks.subjects.model import OneRoundModel

logging.getLogger("src.infrastructure.AI.tools").setLevel(logging.WARNING)


def _model() -> OneRoundModel:
    model = OneRoundModel.from_environment()
    model.pause = _pause
    return model


def _pause(seconds: float) -> None:
    background.run(asyncio.sleep(seconds))  # as the service waits for its own models


for controller in (chat_controller, hitl_controller):
    controller.get_llm_model = _model  # type: ignore[attr-defined]

__all__ = ["app"]
