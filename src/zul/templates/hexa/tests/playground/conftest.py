from collections.abc import Iterator

import pytest

from tests.http.service import Service, running_service


@pytest.fixture
def playground(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """The service with its playground switched on, in memory."""
    monkeypatch.setenv("PLAYGROUND_ENABLED", "true")
    with running_service(monkeypatch) as service:
        yield service


@pytest.fixture
def stored_playground(each_store: str, playground: Service) -> Service:
    """The same over each kind of store."""
    return playground
