"""Functions are written when they are first needed, and are then the functions that their declarations say."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest

from gradflow.engine.dispatch.compile import complete, wrapper
from gradflow.engine.formula import names_in
from gradflow.engine.namespace.torch import modules
from gradflow.engine.numerics.broadcasting import reducible
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor

modules()  # gives Tensor its operators


def test_a_function_has_its_signature_once_it_is_written() -> None:
    function = wrapper(REGISTRY["clamp_scalar"], "function")
    assert str(inspect.signature(function)) == "(*args, **kwargs)"
    assert complete(function) is function
    assert str(inspect.signature(function)) == "(input, min=None, max=None)"
    assert function.__doc__ == REGISTRY["clamp_scalar"].doc


def test_the_first_call_writes_the_function_and_runs_it() -> None:
    function = wrapper(REGISTRY["neg"], "function")
    assert function(Tensor(np.array([1.0, -2.0])))._a.tolist() == [-1.0, 2.0]
    assert function(Tensor(np.array([3.0])))._a.tolist() == [-3.0]


@pytest.mark.parametrize("form", ["function", "in place"])
def test_a_wrong_argument_is_told_by_the_name_of_the_function_even_before_it_is_written(form: str) -> None:
    function = wrapper(REGISTRY["sin"], form)  # type: ignore[arg-type]
    name = "sin" if form == "function" else "sin_"
    with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'foo'$"):
        function(Tensor(np.array([1.0])), foo=1)


def test_an_operator_leaves_what_it_cannot_take_to_the_other_operand() -> None:
    operator = REGISTRY["add"].operator
    assert operator(Tensor(np.ones(2)), "text") is NotImplemented
    assert operator(Tensor(np.ones(2)), 2)._a.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("g * other", {"g", "other"}),
        ("sum_to_size(g, input.shape)", {"sum_to_size", "g", "input", "shape"}),
        ("g *", {""}),
    ],
)
def test_the_names_of_a_formula_are_found_without_parsing_it(text: str, names: set[str]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("wide", "shape", "can"),
    [
        ((2, 3), (3,), True),
        ((2, 3), (2, 1), True),
        ((2, 3), (), True),
        ((2, 3), (2,), False),
        ((3,), (2, 3), False),
        ((), (1,), False),
    ],
)
def test_what_can_have_been_broadcast(wide: tuple[int, ...], shape: tuple[int, ...], can: bool) -> None:
    assert reducible(wide, shape) is can


def test_everything_can_be_loaded_beforehand() -> None:
    code = """
import sys
from gradflow.engine.dispatch.compile import _unwritten
from gradflow.engine.preload import load_everything
from gradflow.engine.registry import REGISTRY

for _ in load_everything():
    pass
late = ("diagnosis", "recording.trace_builder", "namespace.layers.transformer", "namespace.optim.adam")
print(
    sum(op.call.__code__ is _unwritten.__code__ for op in REGISTRY),
    all(f"gradflow.engine.{name}" in sys.modules for name in late),
)
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["0", "True"]
