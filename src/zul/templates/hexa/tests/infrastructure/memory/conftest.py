from collections.abc import Iterator
from pathlib import Path

import pytest

from src.infrastructure.database.connections import close_database
from src.infrastructure.database.stores import close_stores


@pytest.fixture(params=["sqlite", "postgres"])
def database(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    url = f"sqlite:///{tmp_path / 'app.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
    monkeypatch.setenv("DATABASE_URL", url)
    yield request.param
    close_stores()
    close_database()
