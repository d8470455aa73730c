"""Tests of what the OpenAPI document says: each property of each schema, the codes of errors, and the answer it shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import httpx
import pytest

from gradflow.backend.http.descriptions import describe, descriptions
from gradflow.engine.errors import CATALOGUE
from gradflow.engine.trace import Event

TRACE = "/api/v1/trace"
SHORTEST = 8
"""Characters: less than that says nothing that the name does not."""


@pytest.fixture(scope="module")
def document(server: str) -> dict[str, Any]:
    made: dict[str, Any] = httpx.get(f"{server}/openapi.json", timeout=60).raise_for_status().json()
    return made


def _properties(part: object, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property of a schema and of those inside of it, by where it stands."""
    if isinstance(part, list):
        for each in part:
            yield from _properties(each, place)
    if isinstance(part, dict):
        for name, told in part.get("properties", {}).items():
            yield f"{place}.{name}", told
        for name, each in part.items():
            yield from _properties(each, f"{place}.{name}")


def test_every_property_of_every_schema_is_described(document: dict[str, Any]) -> None:
    found = [each for name, schema in document["components"]["schemas"].items() for each in _properties(schema, name)]
    assert len(found) > 300
    assert [place for place, told in found if len(told.get("description", "")) < SHORTEST] == []
    told_by_name = [place for place, told in found if told["description"].lower() == f"the {place.split('.')[-1]}."]
    assert told_by_name == []


def test_every_schema_is_described(document: dict[str, Any]) -> None:
    assert [name for name, schema in document["components"]["schemas"].items() if not schema.get("description")] == []


def test_what_all_events_have_is_said_of_each(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    of_place = {schemas[event.__name__]["properties"]["place"]["description"] for event in get_args(Event)}
    assert of_place == {"Id of the place in which it happened; null at the top of the program."}
    assert schemas["PassEvent"]["properties"]["pass"]["description"] == "Id of the pass."


def test_the_codes_of_errors_and_the_version_are_enumerated(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert set(schemas["ErrorRecord"]["properties"]["code"]["enum"]) == set(CATALOGUE)
    assert schemas["Trace"]["properties"]["schema"]["const"] == 2


def test_the_example_is_the_answer_to_the_example(client: httpx.Client, document: dict[str, Any]) -> None:
    (request,) = document["components"]["schemas"]["TraceRequest"]["examples"]
    shown = document["paths"][TRACE]["post"]["responses"]["200"]["content"]["application/json"]["example"]
    assert shown == client.post(TRACE, json=request).raise_for_status().json()
    gradients = {tensor["label"]: tensor["grad"]["data"] for tensor in shown["tensors"] if tensor["grad"]}
    assert gradients == {"a": [6, 15, 6, 15], "b": [4, 4, 4, 6, 6, 6]}


SOURCE = '''
class Base:
    """Of the class, not of a field."""

    below: int
    """From the
    base."""
    other: int
    """Of the base."""

    bare: int

Keyed = TypedDict("Keyed", {"class": str})
"""Of the keyword."""

class Made(Base, Keyed):
    other: int = 1
    """Its own."""

    def method(self):
        """Of no field."""
'''


def test_docstrings_below_attributes_are_read() -> None:
    assert descriptions(SOURCE) == {
        "Base": {"below": "From the base.", "other": "Of the base."},
        "Keyed": {"class": "Of the keyword."},
        "Made": {"below": "From the base.", "other": "Its own.", "class": "Of the keyword."},
    }


def test_a_property_that_no_attribute_has_stays_as_it_is() -> None:
    components = {"Edge": {"properties": {"id": {"type": "string"}, "more": {"type": "integer"}}}, "Other": {}}
    describe(components)
    assert components == {
        "Edge": {
            "properties": {"id": {"type": "string", "description": "``e`` and a number."}, "more": {"type": "integer"}}
        },
        "Other": {},
    }
