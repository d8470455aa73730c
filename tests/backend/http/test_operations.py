"""Tests of the reference: all that programs can call."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from gradflow.engine.reference import describe
from gradflow.engine.run import run

OPERATIONS = "/api/v1/operations"
MODULES_OF_A_FUNCTIONS_NAME = ("torch.autograd.gradcheck.",)
"""Programs reach what is in them by ``from ... import`` alone."""


@pytest.fixture(scope="module")
def entries() -> dict[str, Any]:
    """The entries by every dotted name."""
    return {place: entry for entry in describe() for place in entry["functions"]}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("place", "kind", "signature"),
    [
        ("torch.mm", "operation", "(input, mat2)"),
        ("torch.Tensor.add_", "operation", "(input, other, *, alpha=1)"),
        ("torch.einsum", "function", "(*args)"),
        ("torch.nn.functional.linear", "function", "(input, weight, bias=None)"),
        ("torch.nn.functional.softmax", "function", "(input, dim=None, _stacklevel=3, dtype=None)"),
        ("torch.fft.fft", "function", "(input, n=None, dim=-1, norm=None)"),
        ("torch.tensor", "function", "(data, *, dtype=None, requires_grad=False)"),
        ("torch.Tensor.backward", "method", "(gradient=None, retain_graph=None, create_graph=False, inputs=None)"),
        ("torch.optim.Optimizer.step", "method", "(closure=None)"),
        ("torch.nn.Linear", "layer", "(in_features, out_features, bias=True, device=None, dtype=None)"),
        ("torch.optim.lr_scheduler.StepLR", "scheduler", "(optimizer, step_size, gamma=0.1, last_epoch=-1)"),
        ("torch.distributions.Normal", "distribution", "(loc, scale, validate_args=None)"),
        ("torch.FloatTensor", "class", "(*args)"),
        ("torch.device", "class", "(type=..., index=None)"),
    ],
)
def test_what_programs_call_is_there(entries: dict[str, Any], place: str, kind: str, signature: str) -> None:
    entry = entries[place]
    assert (entry["kind"], entry["signature"]) == (kind, signature)
    assert entry["doc"]


def test_an_optimizer_is_there(entries: dict[str, Any]) -> None:
    assert (entries["torch.optim.SGD"]["kind"], entries["torch.optim.SGD"]["doc"]) == (
        "optimizer",
        "p -= lr * grad, with momentum where wanted.",
    )


def test_one_thing_has_one_entry(entries: dict[str, Any]) -> None:
    assert entries["torch.concat"] is entries["torch.cat"]
    assert entries["torch.nn.modules.linear.Linear"]["functions"][0] == "torch.nn.Linear"


def test_signatures_are_pytorchs(entries: dict[str, Any]) -> None:
    assert entries["torch.linalg.det"]["signatures"] == ["(Tensor A, *, Tensor out = None)"]
    assert entries["torch.Tensor.view"]["signatures"] == ["(torch.dtype dtype)", "(tuple of ints size)"]


def test_no_entry_tells_of_the_inside(entries: dict[str, Any]) -> None:
    for place, entry in entries.items():
        assert " at 0x" not in entry["signature"], place
        assert not place.rpartition(".")[2].startswith("_"), place


def test_programs_find_everything_under_its_names(entries: dict[str, Any]) -> None:
    places = [place for place in entries if not place.startswith(MODULES_OF_A_FUNCTIONS_NAME)]
    missing: list[str] = []
    for start in range(0, len(places), 500):
        tries = [f"try: {p}\nexcept Exception as e: print('{p}', e)" for p in places[start : start + 500]]
        missing += run("import einops.layers.torch, functorch, torch\n" + "\n".join(tries)).stdout.splitlines()
    assert missing == []


def test_an_operation_tells_its_gradients(client: httpx.Client) -> None:
    (mm,) = [entry for entry in client.get(OPERATIONS).json() if "torch.mm" in entry["functions"]]
    gradients = {gradient["parameter"]: gradient for gradient in mm["gradients"]}
    assert gradients["input"]["formula"] == "g @ conj(mat2.T)"
    assert gradients["input"]["saved"] == ["mat2"]
    assert gradients["input"]["latex"]


def test_entries_can_be_searched(client: httpx.Client) -> None:
    found = client.get(OPERATIONS, params={"search": "Softmax2", "kind": "layer"}).json()
    assert [entry["functions"][0] for entry in found] == ["torch.nn.Softmax2d"]
    kinds = {entry["kind"] for entry in client.get(OPERATIONS, params={"kind": "optimizer"}).json()}
    assert kinds == {"optimizer"}
    assert client.get(OPERATIONS, params={"search": "no such thing"}).json() == []
    refused = client.get(OPERATIONS, params={"kind": "gadget"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["location"] == ["query", "kind"]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("torch.nn.Linear", "torch.nn.Linear"),
        ("nn.Linear", "torch.nn.Linear"),
        ("Linear", "torch.nn.Linear"),
        ("Tensor.mm", "torch.mm"),
        ("F.relu", "torch.nn.functional.relu"),
        ("optim.SGD", "torch.optim.SGD"),
        ("einsum", "torch.einsum"),
    ],
)
def test_an_entry_by_its_name(client: httpx.Client, name: str, first: str) -> None:
    (entry,) = client.get(f"{OPERATIONS}/{name}").json()
    assert entry["functions"][0] == first


def test_an_operation_with_overloads_by_its_name(client: httpx.Client) -> None:
    found = client.get(f"{OPERATIONS}/torch.sum").json()
    assert [entry["grad_fn"] for entry in found] == ["SumBackward0", "SumBackward1"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("torch.optim.Adm", " Did you mean torch.optim.Adam or torch.optim.RAdam or torch.optim.NAdam?"),
        ("Linaer", " Did you mean torch.nn.Linear?"),
        ("xyzzy", ""),
    ],
)
def test_a_name_that_does_not_exist(client: httpx.Client, name: str, meant: str) -> None:
    response = client.get(f"{OPERATIONS}/{name}")
    assert (response.status_code, response.headers["content-type"]) == (404, "application/problem+json")
    assert response.json() == {
        "type": "/docs/problems#not-found",
        "title": "Not Found",
        "status": 404,
        "detail": f"Programs can call nothing of the name {name!r}.{meant}",
    }


def test_an_operation_has_a_page(client: httpx.Client) -> None:
    page = client.get("/docs/operations/torch.mm")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>torch.mm</h1>" in page.text
    assert "<dt>input</dt><dd><code>g @ conj(mat2.T)</code></dd>" in page.text
    missing = client.get("/docs/operations/torch.%3Cscript%3E")
    assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")
    assert "script" not in missing.text
