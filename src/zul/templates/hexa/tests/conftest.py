"""Every test starts from the same place: no settings from outside, nothing built, nothing open."""

import contextlib
import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from src.infrastructure.settings import Settings

pytest_plugins = ["tests.support.postgres"]

_OF_PROVIDERS = re.compile(r".*_API_KEY|(OPENAI|ANTHROPIC|AZURE|LANGCHAIN|LANGSMITH)_.*")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Hide the settings while the tests import ``src`` too: some are read at import."""
    with _hidden_settings(Path(__file__).parent):
        return (yield)


@pytest.fixture(autouse=True)
def isolation(tmp_path: Path) -> Iterator[None]:
    """Hide the settings of whoever runs the tests, `.env` included, and forget what was built."""
    with _hidden_settings(tmp_path):
        yield
        _forget_what_was_built()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def each_store(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> str:
    """Run the test once in memory, once on SQLite and once on PostgreSQL."""
    if request.param == "sqlite":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'app.db'}")
    if request.param == "postgres":
        monkeypatch.setenv("DATABASE_URL", request.getfixturevalue("postgres_url"))
    return str(request.param)


@contextlib.contextmanager
def _hidden_settings(folder: Path) -> Iterator[None]:
    outside = dict(os.environ)
    for name in outside:
        if name.lower() in Settings.model_fields or _OF_PROVIDERS.fullmatch(name.upper()):
            del os.environ[name]
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        os.environ.clear()
        os.environ.update(outside)


def _forget_what_was_built() -> None:
    # Not at the top: importing the controllers reads settings, which are hidden only by now.
    from tests.http.service import forget_what_was_built  # noqa: PLC0415

    forget_what_was_built()
