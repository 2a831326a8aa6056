"""The service keeps to its own OpenAPI schema, whatever a client sends.

``schemathesis`` is in an extra of its own, because it brings seven packages for one search. How
long that takes is up to ``FUZZ_EXAMPLES``, requests for each endpoint and store.
"""

import os
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from src.infrastructure.settings import Settings
from src.interface.http.main import create_app

schemathesis = pytest.importorskip(
    "schemathesis", reason='the OpenAPI schema is not searched: `pip install -e ".[openapi]"` first'
)

positive_data_acceptance = import_module(
    "schemathesis.specs.openapi.checks"
).positive_data_acceptance

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "5"))
# What the stores may differ in has tests of its own; here they matter to a thorough search only.
STORES = ["memory", "sqlite", "postgres"] if "FUZZ_EXAMPLES" in os.environ else ["memory"]
search = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
app = create_app(Settings(playground_enabled=True))
schema = schemathesis.openapi.from_asgi("/openapi.json", app)

# A schema cannot say that an action has to wait for the decision, that arguments can be stored,
# nor that a key was used before: such requests have the right shape and are refused all the same.
acceptance = schema.config.checks.positive_data_acceptance
acceptance.expected_statuses = [*acceptance.expected_statuses, "400"]
KEY_IN_USE = "Idempotency-Key ini sudah dipakai untuk permintaan lain"
REVIEWS = {"/hitl/review", "/hitl/review/stream", "/subagents/review", "/subagents/review/stream"}


@pytest.fixture(autouse=True)
def demo_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_MODEL", "demo")


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisDeprecationWarning")
@schema.parametrize()  # type: ignore[untyped-decorator]  # it may not be installed
@search
@pytest.mark.parametrize("each_store", STORES, indirect=True)
@pytest.mark.timeout(0)
def test_every_answer_is_one_that_the_schema_documents(case: Any, each_store: str) -> None:
    response = case.call()
    is_refused_for_more = case.path in REVIEWS or KEY_IN_USE in response.text
    unfit = [positive_data_acceptance] if is_refused_for_more else []
    case.validate_response(response, excluded_checks=unfit)
