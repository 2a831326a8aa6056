from collections.abc import Iterator

import pytest

from tests.http.service import Service, running_service


@pytest.fixture
def service(each_store: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """The service, over each kind of store."""
    with running_service(monkeypatch) as service:
        yield service


@pytest.fixture
def memory_service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """The service in memory, for what no store has a say in."""
    with running_service(monkeypatch) as service:
        yield service
