from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.replies.service import ENDPOINTS, Service

MakeService = Callable[..., Service]


@pytest.fixture(params=ENDPOINTS)
def path(request: pytest.FixtureRequest) -> str:
    endpoint: str = request.param
    return endpoint


@pytest.fixture
def serve() -> Iterator[MakeService]:
    """Give a maker of services that serve until the test ends."""
    with ExitStack() as stack:

        def make(path: str, *replies: Any, **options: Any) -> Service:
            return stack.enter_context(Service(path, *replies, **options).serving())

        yield make
