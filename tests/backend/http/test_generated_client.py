"""A client made from the document that is checked in: it reads every answer of a server."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
CONFIG = """
project_name_override: made
package_name_override: gradflow_made
post_hooks: []
content_type_overrides: {image/png: application/octet-stream}
"""
PROGRAM = (
    "import torch\na = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\ny = a * 3\ny.backward(torch.ones(2, 2))"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The package that openapi-python-client writes."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "config.yml").write_text(CONFIG)
    document = json.loads((ROOT / "frontend" / "openapi.json").read_text())
    document["components"]["schemas"]["Array"] = {"title": "Array"}  # this generator knows no type that contains itself
    (folder / "openapi.json").write_text(json.dumps(document))
    command = ["generate", "--path", str(folder / "openapi.json"), "--config", str(folder / "config.yml")]
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "openapi_python_client",
            *command,
            "--output-path",
            str(folder / "out"),
            "--fail-on-warning",
        ],
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder / "out"))
        yield importlib.import_module("gradflow_made")


@pytest.fixture
def client(made: Any, server: str) -> Iterator[Any]:
    """A client of a real server."""
    with made.Client(base_url=server) as client:
        yield client


def call(route: str, **given: Any) -> Any:
    """Calls a route: `programs.trace`."""
    return importlib.import_module(f"gradflow_made.api.{route}").sync(**given)


def models() -> Any:
    return importlib.import_module("gradflow_made.models")


def run(client: Any, **request: Any) -> Any:
    return call("programs.trace", client=client, body=models().TraceRequest(**request))


def test_a_program_is_run(client: Any) -> None:
    told = run(client, source=PROGRAM)
    assert isinstance(told, models().Trace)
    assert told.error is None
    (one,) = told.passes
    assert [each.after.data for each in one.accumulations] == [[3.0, 3.0, 3.0, 3.0]]
    assert told.events[-1].kind == "pass"


def test_arrays_are_sent(client: Any) -> None:
    inputs = {"a": [[1, 2]], "b": {"data": [[3], [4]], "dtype": "float64"}}
    body = models().TraceRequest.from_dict({"source": "(a.double() @ b).sum()", "inputs": inputs})
    told = call("programs.trace", client=client, body=body)
    assert told.error is None
    assert [each.names for each in told.tensors][:2] == [["a"], ["b"]]


def test_a_program_that_raises_is_told_of(client: Any) -> None:
    told = run(client, source="import torch\ntorch.ones(2, requires_grad=True).mul(2).backward()")
    assert told.error.code == "nonscalar-backward"


def test_a_problem_is_told_of(client: Any) -> None:
    told = run(client, source="1", max_elements=10**6)
    assert isinstance(told, models().Problem)
    assert (told.status, told.type_) == (422, "/docs/problems#invalid-request")


def test_the_reference_and_the_health_are_read(client: Any) -> None:
    assert any(each.id == "matrix-product" for each in call("reference.examples", client=client))
    assert call("service.health", client=client).status == "ok"
