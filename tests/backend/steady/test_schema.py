"""Whatever the OpenAPI document allows, and what it does not: schemathesis asks, with all of its checks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from starlette.testclient import TestClient

from gradflow.backend.http.app import create_app
from gradflow.backend.settings import Settings

EXAMPLES: Final = int(os.environ.get("GRADFLOW_SCHEMA_EXAMPLES", "15"))
app = create_app(Settings(time_limit=1, grace=1))
schema = schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.fixture(scope="module", autouse=True)
def _running() -> Iterator[None]:
    with TestClient(app):
        yield


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_document_is_true(case: Any) -> None:
    response = case.call()
    case.validate_response(response, excluded_checks=[schemathesis.checks.CHECKS.get_one("positive_data_acceptance")])
