from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.replies.service import ENDPOINTS, STREAMS, Service

MakeService = Callable[..., Service]


@pytest.fixture(params=ENDPOINTS + STREAMS)
def path(request: pytest.FixtureRequest) -> str:
    """Where a message goes."""
    path: str = request.param
    return path


@pytest.fixture(params=ENDPOINTS)
def endpoint(request: pytest.FixtureRequest) -> str:
    """The same without the streams, for replies that a model cannot give in pieces."""
    endpoint: str = request.param
    return endpoint


with_reviews = pytest.mark.parametrize(
    "path", [path for path in ENDPOINTS + STREAMS if not path.startswith("/chat")]
)


@pytest.fixture
def serve() -> Iterator[MakeService]:
    """Give a maker of services that serve until the test ends."""
    with ExitStack() as stack:

        def make(path: str, *replies: Any, **options: Any) -> Service:
            return stack.enter_context(Service(path, *replies, **options).serving())

        yield make
