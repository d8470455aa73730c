"""What pasted files do with modules and checkpoints: outcomes and messages as in PyTorch 2.13."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

PRELUDE = """
import functools, torch
from torch import nn
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
m = nn.Linear(1, 1)
lazy = nn.LazyLinear(3)
"""
_UNUSABLE = (
    "Attempted to use an uninitialized parameter in {name}. This error happens when you are using a `LazyModule` or"
    " explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call `forward`"
    " with a dummy batch to initialize the parameters before calling torch functions"
)


def outcome(program: str) -> str:
    trace = run(PRELUDE + program)
    return trace.stdout if trace.error is None else f"{trace.error.type}: {trace.error.message}"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "m.compile(optimizer='adam', loss='mse')",
            "TypeError: compile() got an unexpected keyword argument 'optimizer'",
        ),
        ("torch.compile(m, loss='mse')", "TypeError: compile() got an unexpected keyword argument 'loss'"),
        ("m.compile('adam', 'mse')", "TypeError: compile() takes from 0 to 1 positional arguments but 3 were given"),
        (
            "torch.compile(m, mode='max')",
            "RuntimeError: Unrecognized mode=max, should be one of: default, lite, reduce-overhead,"
            " max-autotune-no-cudagraphs, max-autotune",
        ),
        (
            "m.compile(mode='default', options={})",
            "RuntimeError: Either mode or options can be specified, but both can't be specified at the same time.",
        ),
    ],
)
def test_compile_takes_its_own_settings_alone(call: str, message: str) -> None:
    assert outcome(call) == message


def test_compile_takes_its_settings() -> None:
    assert outcome("print(m.compile(backend='eager', fullgraph=True, mode='default'))") == "None\n"


@pytest.mark.parametrize(
    ("use", "name"),
    [
        ("sum(p.numel() for p in lazy.parameters())", "<method 'numel' of 'torch._C.TensorBase' objects>"),
        ("lazy.weight.mean()", "<method 'mean' of 'torch._C.TensorBase' objects>"),
        ("lazy.bias + 1", "<method 'add' of 'torch._C.TensorBase' objects>"),
        ("lazy.weight == lazy.weight", "<method '__eq__' of 'torch._C.TensorBase' objects>"),
        ("list(lazy.weight)", "<method 'dim' of 'torch._C.TensorBase' objects>"),
    ],
)
def test_a_lazy_parameter_has_no_values_yet(use: str, name: str) -> None:
    assert outcome(use) == f"ValueError: {_UNUSABLE.format(name=name)}"


def test_a_lazy_module_is_copied_and_settled() -> None:
    program = "import copy\ntwin = copy.deepcopy(lazy)\ntwin(torch.ones(2, 4))\nprint(lazy, twin.weight.numel())"
    assert outcome(program) == "LazyLinear(in_features=0, out_features=3, bias=True) 12\n"


_CHECKPOINT = """
w = torch.tensor([1.0, 2.0], requires_grad=True)
def f(x): return (x * w).sin() * w
"""


def test_selective_checkpoints_have_the_same_gradients() -> None:
    program = f"""{_CHECKPOINT}
f(torch.ones(2)).sum().backward()
plain, w.grad = w.grad, None
contexts = functools.partial(create_selective_checkpoint_contexts, lambda *_: CheckpointPolicy.MUST_SAVE)
checkpoint(f, torch.ones(2), use_reentrant=False, context_fn=contexts).sum().backward()
print(torch.equal(plain, w.grad), CheckpointPolicy.PREFER_SAVE)
"""
    assert outcome(program) == "True CheckpointPolicy.PREFER_SAVE\n"


def test_the_contexts_of_a_checkpoint_surround_both_runs() -> None:
    program = f"""{_CHECKPOINT}
import contextlib
@contextlib.contextmanager
def said(name):
    print("in", name)
    yield
    print("out", name)
y = checkpoint(f, torch.ones(2), use_reentrant=False, context_fn=lambda: (said("first"), said("again")))
y.sum().backward()
"""
    assert outcome(program) == "in first\nout first\nin again\n"  # the second ends early


def test_only_the_other_checkpoint_takes_contexts() -> None:
    program = f"{_CHECKPOINT}\ncheckpoint(f, torch.ones(2), use_reentrant=True, context_fn=lambda: None)"
    message = "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
    assert outcome(program) == f"ValueError: {message}"
