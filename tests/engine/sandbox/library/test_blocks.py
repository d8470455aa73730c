"""Blocks that end without having begun, that begin twice, and that end in another order: PyTorch's and Python's words, and their modes."""

from __future__ import annotations

from typing import Final

import pytest

from gradflow.engine.run import run

PRELUDE: Final = """
import contextlib, io, warnings
import numpy as np
import torch
class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None): return func(*args, **(kwargs or {}))
def ended(block): block.__exit__(None, None, None)
"""
STACK: Final = "trying to pop from empty mode stack"
HOOKS: Final = "is_initialized && !tls.stack.empty() INTERNAL ASSERT FAILED, please report a bug to PyTorch. "
NOT_BEGUN: Final = {
    "torch.enable_grad()": "'enable_grad' object has no attribute 'prev'",
    "torch.inference_mode()": "'inference_mode' object has no attribute '_inference_mode_context'",
    "torch.autocast('cpu')": "'autocast' object has no attribute 'prev'",
    "torch.autograd.forward_ad.dual_level()": "Dual level must be a positive number.",
    "torch.autograd.graph.allow_mutation_on_saved_tensors()": "generator didn't stop",
    "torch.autograd.graph.disable_saved_tensors_hooks('no')": "generator didn't stop",
    "torch.autograd.graph.save_on_cpu()": HOOKS,
    "torch.autograd.graph.saved_tensors_hooks(abs, abs)": HOOKS,
    "torch.device('cpu')": STACK,
    "Mode()": STACK,
    "torch.profiler.profile()": "Profiler must be initialized before stopping trace",
    "torch.profiler.record_function('a')": "Expected record to be set",
    "np.errstate(divide='raise')": "expected an instance of Token, got None",
    "warnings.catch_warnings()": "Cannot exit catch_warnings() without entering first",
    "contextlib.redirect_stdout(io.StringIO())": "pop from empty list",
}
TWICE: Final = {
    "torch.autograd.graph.allow_mutation_on_saved_tensors()": "'_GeneratorContextManager' object has no attribute 'args'",
    "np.errstate(divide='raise')": "Cannot enter `np.errstate` twice.",
    "warnings.catch_warnings(record=True)": "Cannot enter catch_warnings(record=True) twice",
}
AGAIN: Final = (
    "torch.no_grad()",
    "torch.enable_grad()",
    "torch.inference_mode()",
    "torch.autocast('cpu')",
    "torch.device('cpu')",
    "torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)",
    "torch.autograd.detect_anomaly()",
    "torch._C.DisableTorchFunctionSubclass()",
    "contextlib.redirect_stdout(io.StringIO())",
    "Mode()",
)


@pytest.mark.parametrize("block", NOT_BEGUN)
def test_a_block_that_has_not_begun_does_not_end(block: str) -> None:
    error = run(f"{PRELUDE}ended({block})").error
    assert error is not None
    assert error.message == NOT_BEGUN[block]


@pytest.mark.parametrize("block", TWICE)
def test_some_blocks_begin_once(block: str) -> None:
    error = run(f"{PRELUDE}block = {block}\nblock.__enter__()\nblock.__enter__()").error
    assert error is not None
    assert error.message == TWICE[block]


@pytest.mark.parametrize("block", AGAIN)
def test_others_begin_again(block: str) -> None:
    source = (
        f"{PRELUDE}block = {block}\nfor _ in range(2):\n    with block: pass\nx = torch.ones(2, requires_grad=True)\n"
    )
    source += "print((x * x).requires_grad, torch.is_autocast_enabled('cpu'), x.device)"
    trace = run(source)
    assert (trace.error, trace.stdout) == (None, "True False cpu\n")


def test_blocks_of_modes_end_in_any_order() -> None:
    source = (
        "a, b = Mode(), Mode()\na.__enter__()\nb.__enter__()\nended(a)\nended(b)\nprint(torch.ones(1).shape)\nended(a)"
    )
    trace = run(PRELUDE + source)
    assert trace.stdout == "torch.Size([1])\n"
    assert trace.error is not None
    assert trace.error.message == STACK


def test_what_a_block_inside_of_itself_prints_goes_where_the_inner_one_says() -> None:
    source = """
inner, outer = io.StringIO(), io.StringIO()
block = contextlib.redirect_stdout(outer)
with block:
    print('a')
    with contextlib.redirect_stdout(inner): print('b')
    with block: print('c')
with contextlib.redirect_stdout(None): print('nowhere')
print(outer.getvalue().split(), inner.getvalue().split())
"""
    trace = run(PRELUDE + source)
    assert (trace.error, trace.stdout) == (None, "['a', 'c'] ['b']\n")


def test_what_is_put_in_the_place_of_a_stream_is_printed_onto_until_the_first_one_is_back() -> None:
    source = """
import sys
sys.stdout = held = io.StringIO()
print('a')
sys.__stdout__.write('seen\\n')
sys.stdout = sys.__stdout__
print(repr(held.getvalue()))
sys.stdout = sys.stdout
print('b', sys.stdout is sys.__stdout__)
sys.maxsize = 1
"""
    trace = run(PRELUDE + source)
    assert trace.error is not None
    assert (trace.error.message, trace.stdout) == (
        "'module' object attribute 'maxsize' is read-only",
        "seen\n'a\\n'\nb True\n",
    )


def test_a_run_begins_with_its_own_streams() -> None:
    assert run("import sys\nsys.stdout = None\nprint('lost')").stdout == ""
    assert run("print('here')").stdout == "here\n"
