from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from src.application.ports.conversation_stores import ConversationStores
from src.infrastructure.database.stores import close_stores, get_stores

GetStores = Callable[[str], ConversationStores]


def _choose(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    # Away from the project, and so from its .env.
    monkeypatch.chdir(folder)
    if kind == "memory":
        monkeypatch.delenv("DATABASE_URL", raising=False)
    elif kind == "sqlite":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{folder / 'data' / 'app.db'}")
    else:
        monkeypatch.setenv("DATABASE_URL", request.getfixturevalue("postgres_url"))


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def stores_of(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[GetStores]:
    """Give ``get_stores`` on an empty store of each kind."""
    _choose(request.param, request, monkeypatch, tmp_path)
    yield get_stores
    close_stores()


@pytest.fixture
def stores(stores_of: GetStores) -> ConversationStores:
    return stores_of("chat")


@pytest.fixture(params=["sqlite", "postgres"])
def shared_stores(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[ConversationStores]:
    """Give the stores of those kinds that several processes share."""
    _choose(request.param, request, monkeypatch, tmp_path)
    yield get_stores("chat")
    close_stores()
