"""Every test starts from the same place: no settings from outside, nothing built, nothing open."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from src.infrastructure.database.stores import close_stores
from src.infrastructure.settings import Settings
from src.interface.http.building import BuiltOnce
from src.interface.http.controllers import (
    chat_controller,
    hitl_controller,
    subagents_controller,
)

_KEYS_OF_PROVIDERS = re.compile(r".*_API_KEY|(OPENAI|ANTHROPIC|AZURE|LANGCHAIN|LANGSMITH)_.*")


@pytest.fixture(autouse=True)
def isolation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Hide the settings of whoever runs the tests, `.env` included, and forget what was built."""
    outside = dict(os.environ)
    for name in outside:
        if name.lower() in Settings.model_fields or _KEYS_OF_PROVIDERS.fullmatch(name.upper()):
            del os.environ[name]
    monkeypatch.chdir(tmp_path)

    yield

    _forget_what_was_built()
    os.environ.clear()
    os.environ.update(outside)


def _forget_what_was_built() -> None:
    for controller in (chat_controller, hitl_controller, subagents_controller):
        for builder in vars(controller).values():
            if isinstance(builder, BuiltOnce):
                builder.cache_clear()
    close_stores()
