"""The service keeps to its own OpenAPI schema, whatever a client sends.

``schemathesis`` is no dependency of the project: it brings seven packages and pins several of
them for a search that takes minutes. With it installed these tests run; how long is up to
``FUZZ_EXAMPLES``, requests for each endpoint.
"""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from src.infrastructure.settings import Settings
from src.interface.http.main import create_app

schemathesis = pytest.importorskip(
    "schemathesis", reason="the OpenAPI schema is not searched: `pip install schemathesis` first"
)

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "20"))
search = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
app = create_app(Settings(playground_enabled=True))
schema = schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.fixture(autouse=True)
def demo_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_MODEL", "demo")


@schema.parametrize()
@search
@pytest.mark.usefixtures("each_store")
@pytest.mark.timeout(0)
def test_every_answer_is_one_that_the_schema_documents(case: Any) -> None:
    case.call_and_validate()
