"""Tests of the formulas of the functions in a picture."""

from __future__ import annotations

import pytest

from gradflow.engine.picture.formulas.rules import Formulas, Letters
from gradflow.engine.run import run

BACKWARD = "\n(x * w).sin().backward()"
SCALARS = "import torch\nx = torch.tensor(3., requires_grad=True)\nw = torch.tensor(-2., requires_grad=True)"


def lines(source: str) -> dict[str, list[str]]:
    """By operation the formulas, bars written behind the letters."""
    trace = run(source)
    assert trace.error is None
    letters = Letters(trace.tensors)
    formulas = Formulas(trace, trace.passes[-1].steps, letters)
    return {
        node.op: [
            "".join(run.text + ("\u0304" if run.over else "") for run in (*one, *two)) for one, two in formulas.of(node)
        ]
        for node in trace.nodes
    }


def test_a_product_has_a_formula_for_each_factor() -> None:
    told = lines(
        "import torch\na = torch.ones(2, 2, requires_grad=True)\nb = torch.ones(2, 3, requires_grad=True)\n"
        "c = a.mm(b)\nc.backward(torch.ones(2, 3))"
    )
    assert told == {"mm": ["a\u0304 = c\u0304\u2009b⊤", "b\u0304 = a⊤\u2009c\u0304"]}


def test_of_single_numbers_the_formula_has_them() -> None:
    told = lines(SCALARS + BACKWARD)
    assert told["mul"] == [
        "x\u0304 = s\u03041 ⊙ w = 0.9602 · (−2) = −1.92",
        "w\u0304 = s\u03041 ⊙ x = 0.9602 · 3 = 2.881",
    ]


def test_numbers_that_may_have_been_others_are_not_told() -> None:
    told = lines(f"{SCALARS}\ny = x * w\nwith torch.no_grad():\n    w.data = torch.tensor(7.)\ny.backward()")
    assert told["mul"] == ["x\u0304 = y\u0304 ⊙ w", "w\u0304 = y\u0304 ⊙ x = 1 · 3 = 3"]


def test_what_got_no_gradient_has_no_formula() -> None:
    told = lines(
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * torch.ones(2)\nz = x.exp()\ny.sum().backward()"
    )
    assert told.get("exp", []) == []
    assert len(told["mul"]) == 1


def test_letters_tell_tensors_apart() -> None:
    trace = run("import torch\ns = torch.ones(1, requires_grad=True)\ny = (s * 2).sin() + (s * 3).cos()")
    letters = Letters(trace.tensors)
    told = [letters.of(tensor.id) for tensor in trace.tensors]
    assert len(set(told)) == len(told)
    assert told[0] == "s"
    with pytest.raises(LookupError):
        letters.of("t99")


def test_what_is_too_wide_is_broken_before_its_numbers() -> None:
    trace = run(f"{SCALARS}\nz = (x * w).sigmoid()\nz.backward()")
    formulas = Formulas(trace, trace.passes[-1].steps, Letters(trace.tensors))
    [sigmoid] = [node for node in trace.nodes if node.op == "sigmoid"]
    told = ["".join(run.text for run in runs) for runs in formulas.that_fit(sigmoid)]
    assert told == ["s = z ⊙ (1 − z) ⊙ z", " = 1 · (1 − 0.002473) · 0.002473 = 0.002467"]
