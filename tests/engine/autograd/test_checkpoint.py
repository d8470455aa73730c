"""Checkpointed calls: what they keep, what they compute again, in small programs with what PyTorch 2.13 prints."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

PROGRAMS = {
    "nested_calls_are_computed_again_by_level": (
        """
runs = [0]
W = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
def deep(x, k):
    runs[0] += 1
    return torch.tanh(x @ W) if k == 0 else checkpoint(deep, x, k - 1, use_reentrant=False) + x
x = torch.tensor([[0.1, 0.2]], requires_grad=True)
y = deep(x, 3)
print(runs)
y.sum().backward()
print(runs)
""",
        "[4]\n[7]\n",
    ),
    "hooks_in_force_pack_the_arguments": (
        """
seen = []
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: (seen.append('pack'), t)[1], lambda t: (seen.append('unpack'), t)[1]):
    y = checkpoint(lambda t, k: t.sin().exp() * k, x, 3, use_reentrant=False)
print(seen)
y.sum().backward()
print(seen)
""",
        "['pack']\n['pack', 'unpack']\n",
    ),
    "an_argument_written_since": (
        """
x = torch.ones(3, requires_grad=True)
h = x * 2
y = checkpoint(lambda t: t.sin().exp(), h, use_reentrant=False)
with torch.no_grad():
    h.add_(1)
try:
    y.sum().backward()
except RuntimeError as error:
    print(str(error).partition(" Hint")[0].rstrip("."))
""",
        "one of the variables needed for gradient computation has been modified by an inplace operation:"
        " [torch.FloatTensor [3]], which is output 0 of Mul, is at version 1; expected version 0 instead\n",
    ),
    "a_gradient_inside": (
        """
def g(t):
    d, = torch.autograd.grad((t ** 3).sum(), t, create_graph=True)
    return d * t
for early in (True, False):
    x = torch.tensor([1., 2.], requires_grad=True)
    checkpoint(g, x, use_reentrant=False, early_stop=early).sum().backward()
    print(x.grad)
""",
        "tensor([ 9., 36.])\ntensor([ 9., 36.])\n",
    ),
    "more_is_saved_the_second_time": (
        """
for early in (True, False):
    k = []
    x = torch.tensor([1., 2.], requires_grad=True)
    def more(t):
        k.append(1)
        return t.sin() if len(k) == 1 else t.sin().exp().cos()
    try:
        checkpoint(more, x, use_reentrant=False, early_stop=early).sum().backward()
        print(x.grad)
    except torch.utils.checkpoint.CheckpointError as error:
        print(str(error).partition('\\n')[0])
""",
        "tensor([ 0.5403, -0.4161])\ntorch.utils.checkpoint: trying to save more tensors during recomputation than during"
        " the original forward pass.\n",
    ),
    "in_the_region_of_mixed_precision_of_then": (
        """
layer = torch.nn.Linear(2, 2)
x = torch.ones(1, 2, requires_grad=True)
for reentrant in (True, False):
    kinds = []
    def part(t):
        y = layer(t).tanh()
        kinds.append(y.dtype)
        return y
    with torch.autocast('cpu', torch.bfloat16):
        z = checkpoint(part, x, use_reentrant=reentrant, early_stop=False)
    z.float().sum().backward()
    print(kinds, layer.weight.grad.dtype)
""",
        "[torch.bfloat16, torch.bfloat16] torch.float32\n[torch.bfloat16, torch.bfloat16] torch.float32\n",
    ),
    "contexts_of_the_program": (
        """
class Named:
    def __init__(self, name):
        self.name = name
    def __enter__(self):
        print('in', self.name)
    def __exit__(self, *raised):
        print('out', self.name)
x = torch.ones(2, requires_grad=True)
y = checkpoint(torch.sin, x, use_reentrant=False, context_fn=lambda: (Named('forward'), Named('again')))
y.sum().backward()
try:
    checkpoint(torch.sin, x, use_reentrant=False, determinism_check='x')
except ValueError as error:
    print(error)
""",
        "in forward\nout forward\nin again\nout again\ndeterminism_check should be one of ['default', 'none'], but got x\n",
    ),
    "where_it_stops": (
        """
steps = []
def f(t):
    y = t.sin()
    steps.append(1)
    return y
x = torch.ones(2, requires_grad=True)
with torch.utils.checkpoint.set_checkpoint_early_stop(False):
    y = checkpoint(f, x, use_reentrant=False)
y.sum().backward()
print(len(steps))
checkpoint(f, x, use_reentrant=False).sum().backward()
print(len(steps))
with torch.no_grad():
    print(checkpoint(f, x, use_reentrant=False).requires_grad)
""",
        "2\n3\nFalse\n",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_prints_what_pytorch_prints(name: str) -> None:
    source, expected = PROGRAMS[name]
    trace = run("import torch\nfrom torch.utils.checkpoint import checkpoint\n" + source)
    assert trace.error is None
    assert trace.stdout == expected


def test_an_error_of_a_hook_that_packs_is_the_programs_own() -> None:
    program = """
import torch
def pack(tensor):
    raise ValueError("mine")
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
    x.exp()
"""
    error = run(program).error
    assert error is not None
    assert (error.type, error.message) == ("ValueError", "mine")


def test_what_was_packed_is_no_copy_in_the_graph_of_a_gradient() -> None:
    program = """
import torch
x = torch.tensor([0.5, 1.5], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    y = torch.tanh(x * 2) * x
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
torch.autograd.grad(g.sum(), x)
"""
    trace = run(program)
    assert trace.error is None
    assert "CloneBackward0" not in {node.grad_fn for node in trace.nodes}


def test_the_type_of_its_error_is_told_as_python_tells_it() -> None:
    error = run("""
import torch
from torch.utils.checkpoint import checkpoint
seen = []
def part(t):
    seen.append(1)
    return t.exp().sin() if len(seen) == 1 else t.exp()
x = torch.ones(2, requires_grad=True)
checkpoint(part, x, use_reentrant=False, early_stop=False).sum().backward()
""").error
    assert error is not None
    assert error.type == "torch.utils.checkpoint.CheckpointError"
    assert error.code == "recomputed"
