"""The service keeps to its own OpenAPI schema, whatever a client sends.

``schemathesis`` is no dependency of the project: it brings seven packages and pins several of
them for a search that takes minutes. With it installed these tests run; how long is up to
``FUZZ_EXAMPLES``, requests for each endpoint.
"""

import os
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from src.infrastructure.settings import Settings
from src.interface.http.main import create_app

schemathesis = pytest.importorskip(
    "schemathesis", reason="the OpenAPI schema is not searched: `pip install schemathesis` first"
)

positive_data_acceptance = import_module(
    "schemathesis.specs.openapi.checks"
).positive_data_acceptance

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "20"))
search = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
app = create_app(Settings(playground_enabled=True))
schema = schemathesis.openapi.from_asgi("/openapi.json", app)

# A schema cannot say that an action has to wait for the decision, nor that arguments can be
# stored: such requests have the right shape and are refused all the same.
acceptance = schema.config.checks.positive_data_acceptance
acceptance.expected_statuses = [*acceptance.expected_statuses, "400"]
REVIEWS = {"/hitl/review", "/hitl/review/stream", "/subagents/review", "/subagents/review/stream"}


@pytest.fixture(autouse=True)
def demo_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_MODEL", "demo")


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisDeprecationWarning")
@schema.parametrize()  # type: ignore[untyped-decorator]  # it may not be installed
@search
@pytest.mark.usefixtures("each_store")
@pytest.mark.timeout(0)
def test_every_answer_is_one_that_the_schema_documents(case: Any) -> None:
    unfit = [positive_data_acceptance] if case.path in REVIEWS else []
    case.call_and_validate(excluded_checks=unfit)
