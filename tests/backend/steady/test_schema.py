"""Whatever the OpenAPI document allows, and what it does not: schemathesis asks, with all of its checks but one.

That everything which the document allows is taken cannot hold: no schema says that rows are equally long.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, settings

from gradflow.backend.http.app import create_app
from gradflow.backend.settings import Settings
from tests.support.server import serving

EXAMPLES: Final = int(os.environ.get("GRADFLOW_SCHEMA_EXAMPLES", "8"))
schema = schemathesis.openapi.from_dict(create_app(Settings()).openapi())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(time_limit=1, grace=1) as address:
        yield address


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_the_document_is_true(case: Any, address: str) -> None:
    response = case.call(base_url=address)
    case.validate_response(response, excluded_checks=[schemathesis.checks.CHECKS.get_one("positive_data_acceptance")])
