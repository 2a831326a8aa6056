"""The generated service as it is, with the benchmark's model."""

from __future__ import annotations

import logging

from src.application.compute_queue import compute_queue
from src.interface.http.controllers import chat_controller, hitl_controller
from src.interface.http.main import app

from benchmarks.subjects.model import OneRoundModel

logging.getLogger("src.infrastructure.AI.tools").setLevel(logging.WARNING)


def _model() -> OneRoundModel:
    model = OneRoundModel.from_environment()
    model.waiting = compute_queue.waiting  # as the service waits for its own models
    return model


for controller in (chat_controller, hitl_controller):
    controller.get_llm_model = _model  # type: ignore[attr-defined]

__all__ = ["app"]
