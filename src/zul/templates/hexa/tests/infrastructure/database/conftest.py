from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from src.infrastructure.database.stores import close_stores

UseDatabase = Callable[[str | None], None]


@pytest.fixture
def use_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[UseDatabase]:
    """Give a function that sets ``DATABASE_URL`` for the next ``get_stores``."""
    monkeypatch.chdir(tmp_path)

    def use(url: str | None) -> None:
        close_stores()
        if url is None:
            monkeypatch.delenv("DATABASE_URL", raising=False)
        else:
            monkeypatch.setenv("DATABASE_URL", url)

    use(None)
    yield use
    close_stores()


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest, use_database: UseDatabase, tmp_path: Path) -> str:
    """Give the address of a database in use, its tables made and empty."""
    url = f"sqlite:///{tmp_path / 'app.db'}"
    if request.param == "postgres":
        url = str(request.getfixturevalue("postgres_url"))
    use_database(url)
    return url


@pytest.fixture(params=["sqlite", "postgres"])
def empty_database_url(
    request: pytest.FixtureRequest, use_database: UseDatabase, tmp_path: Path
) -> str:
    """Give the address of a database in use, without tables."""
    url = f"sqlite:///{tmp_path / 'app.db'}"
    if request.param == "postgres":
        url = str(request.getfixturevalue("empty_postgres_url"))
    use_database(url)
    return url
