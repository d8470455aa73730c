"""The options of ``gradflow run`` and ``render`` that say what to differentiate: the request of the API as options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final

import orjson
from pydantic import ValidationError

from gradflow.backend.arguments import with_numbers
from gradflow.backend.http.schemas import TraceRequest

_OPTIONS: Final = {"gradient": "--gradient", "output": "--differentiate", "source": "FILE"}


class BadOption(Exception):
    """An option that makes no sense; the message names it in one line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """``--input``, ``--differentiate``, ``--gradient`` and ``--jacobian``."""
    group = parser.add_argument_group(
        "what to differentiate", "as in the REST API; --differentiate and --gradient serve programs without a backward"
    )
    group.add_argument(
        "--input",
        metavar="NAME=JSON",
        action="append",
        default=[],
        help="a leaf of the program: numbers in nested lists, float32 and requiring a gradient,"
        ' or {"data": ..., "dtype": "float64", "requires_grad": false}; can be repeated',
    )
    group.add_argument(
        "--differentiate",
        metavar="NAME",
        help="tensor to call backward on (default: that of the last assignment or expression)",
    )
    group.add_argument("--gradient", metavar="JSON", help="argument of backward, in the shape of that tensor")
    group.add_argument("--jacobian", action="store_true", help="record the whole Jacobian too")


def arguments_of(parsed: argparse.Namespace, source: str) -> dict[str, Any]:
    """Keyword arguments for `gradflow.engine.run.run`. Raises BadOption."""
    given: dict[str, Any] = {"source": source}
    inputs = _inputs(parsed.input)
    if inputs:
        given["inputs"] = inputs
    if parsed.differentiate is not None:
        given["output"] = parsed.differentiate
    if parsed.gradient is not None:
        given["gradient"] = _json(parsed.gradient, "--gradient")
    if parsed.jacobian:
        given["jacobian"] = True
    try:
        request = TraceRequest.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadOption(f"{option(first['loc'])}: {first['msg']}") from None
    return with_numbers(request.model_dump(exclude_unset=True))


def option(location: Sequence[str | int]) -> str:
    """The option that gave what stands at this place of a request."""
    field = str(location[0])
    if field == "inputs" and len(location) > 1:
        return f"--input {location[1]}"
    return _OPTIONS.get(field, f"--{field.removesuffix('s')}")


def _inputs(given: Sequence[str]) -> dict[str, Any]:
    inputs: dict[str, Any] = {}
    for each in given:
        name, equals, text = each.partition("=")
        if not equals:
            raise BadOption(f"--input {each}: expected NAME=JSON, such as a=[[1, 2], [3, 4]]")
        if name in inputs:
            raise BadOption(f"--input {name}: given twice")
        inputs[name] = _json(text, f"--input {name}")
    return inputs


def _json(text: str, place: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadOption(f"{place}: invalid JSON: {error}") from None
