"""Objects of a program where a state, a parameter, a node or a tracer should be: refused before the engine looks into them."""

from __future__ import annotations

from typing import Final

import pytest

from gradflow.engine.run import run

SPIES: Final = """
import torch
import numpy as np
class Spy:
    def __getattr__(self, name):
        if name.startswith("_") and not name.startswith("__"): print("reads", name)
        if name.startswith("__"): raise AttributeError(name)
        return Spy()
    def __setattr__(self, name, value): print("writes", name)
    def __call__(self, *given, **named):
        for each in given:
            if isinstance(each, (np.ndarray, np.generic)): print("is handed an array")
        return Spy()
    def __iter__(self): return iter([Spy(), Spy()])
    def __len__(self): return 2
    def __getitem__(self, index): return Spy()
    def given(self, other):
        if isinstance(other, np.ndarray): print("is handed an array")
        return Spy()
    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __matmul__ = __rmatmul__ = __pow__ = __rpow__ = given
"""
OPTIMIZERS: Final = """
kinds = {
    "SGD": dict(momentum=0.9, nesterov=True), "Adam": dict(amsgrad=True), "AdamW": {}, "Adamax": {}, "NAdam": {}, "RAdam": {}, "RMSprop": dict(momentum=0.9, centered=True),
    "Adagrad": {}, "Adadelta": {}, "Rprop": {}, "ASGD": {}, "Adafactor": {}, "Muon": {}, "LBFGS": {},
}
def made(name, shape=(2, 2)):
    w = torch.nn.Parameter(torch.ones(shape))
    opt = getattr(torch.optim, name)([w], lr=0.1, **kinds[name])
    def closure():
        opt.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss
    closure()
    opt.step(closure)
    closure()
    return w, opt, closure
def tried(call, *given):
    try: call(*given)
    except Exception as error: return
"""
STATE: Final = """
count = 0
for name in kinds:
    for shape in ((2, 2), (2,)) if name == "Adafactor" else ((2, 2),):
        for key in list(made(name, shape)[1].state.popitem()[1]):
            for value in (Spy(), [Spy(), Spy()]):
                w, opt, closure = made(name, shape)
                opt.state[w][key] = value
                tried(opt.step, closure)
                tried(opt.load_state_dict, opt.state_dict())
                count += 1
print(count > 60)
"""
PARAMS: Final = """
for name in kinds:
    for put in (lambda group: group["params"].append(Spy()), lambda group: group.update(params=[Spy()]), lambda group: group.update(params=Spy())):
        for use in ("step", "zero_grad", "load_state_dict", "state_dict", "add_param_group"):
            w, opt, closure = made(name)
            state = opt.state_dict()
            put(opt.param_groups[0])
            tried(getattr(opt, use), *{"step": [closure], "load_state_dict": [state], "add_param_group": [{"params": [Spy()]}]}.get(use, []))
"""
LOADED: Final = """
import torch
class A: dtype = "{}"
class P: _a = A()
w = torch.nn.Parameter(torch.zeros(3))
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)
w.sum().backward()
opt.step()
state = opt.state_dict()
opt.param_groups[0]["params"][:] = [P()]
opt.load_state_dict(state)
"""
EDGES: Final = """
from torch.autograd.graph import GradientEdge, get_gradient_edge, register_multi_grad_hook
x = torch.ones(3, requires_grad=True)
y = (x * 2).sum()
node = y.grad_fn
"""


def told(program: str) -> str:
    trace = run(SPIES + program, operations=10_000_000)
    assert trace.error is None, trace.error.message
    return trace.stdout


def test_the_spies_see() -> None:
    assert told("Spy()._a\nSpy().x = 1\nSpy() @ np.ones(1)") == "reads _a\nwrites x\nis handed an array\n"


def test_state_that_is_no_tensor_is_not_computed_with() -> None:
    assert told(OPTIMIZERS + STATE) == "True\n"


def test_what_is_put_among_parameters_is_looked_at_first() -> None:
    assert told(OPTIMIZERS + PARAMS) == ""


@pytest.mark.parametrize("dtype", ["O", "U3", ">f4", "float128", "i4,O"])
def test_state_is_loaded_in_dtypes_of_tensors(dtype: str) -> None:
    error = run(LOADED.format(dtype)).error
    assert error is not None
    assert error.message == "Variable data has to be a tensor, but got P"


def test_the_steps_of_an_optimizer_are_its_own() -> None:
    """A method of the program's is not called with the memory of gradients."""
    names = ("change", "take", "recorded", "run_hooked", "check_layout", "keeps_state")
    methods = "\n".join(f"    def {name}(self, *given): print('{name}')" for name in names)
    program = f"""
class Own(torch.optim.SGD):
{methods}
w = torch.nn.Parameter(torch.ones(3))
w.sum().backward()
Own([w], lr=0.1).step()
opt = torch.optim.SGD([w], lr=0.1)
for name in {names}: print(hasattr(opt, name))
print(w.tolist())
"""
    assert told(program) == "False\n" * 6 + "[0.8999999761581421, 0.8999999761581421, 0.8999999761581421]\n"
    assert (
        run("import torch\nclass Own(torch.optim.SGD):\n    def _change(self, *given): print(given)").error is not None
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "torch.autograd.grad(GradientEdge(Spy(), 0), x)",
            "GradientEdge's first object must be an autograd.graph.Node but got Spy",
        ),
        (
            "torch.autograd.grad(y, GradientEdge(Spy(), 0))",
            "GradientEdge's first object must be an autograd.graph.Node but got Spy",
        ),
        (
            "torch.autograd.grad(y, {1: GradientEdge(Spy(), 0)})",
            "GradientEdge's first object must be an autograd.graph.Node but got Spy",
        ),
        (
            "y.backward(inputs=[GradientEdge(None, 0)])",
            "GradientEdge's first object must be an autograd.graph.Node but got NoneType",
        ),
        (
            "torch.autograd.backward(GradientEdge(Spy(), 0))",
            "GradientEdge's first object must be an autograd.graph.Node but got Spy",
        ),
        ("torch.autograd.grad(y, GradientEdge(node, '0'))", "'str' object cannot be interpreted as an integer"),
        ("torch.autograd.grad(y, GradientEdge(node, 7))", "tuple index out of range"),
        ("torch.autograd.grad(y, GradientEdge(node, -1))", "tuple index out of range"),
        ("get_gradient_edge(Spy())", "'Spy' object has no attribute 'requires_grad'"),
        ("register_multi_grad_hook([Spy()], print, mode='any')", "'Spy' object has no attribute 'requires_grad'"),
        ("register_multi_grad_hook([x, Spy()], print)", "'Spy' object has no attribute 'requires_grad'"),
    ],
)
def test_edges_are_those_of_nodes(call: str, message: str) -> None:
    program = f"try: {call}\nexcept Exception as error: print(error)"
    assert told(SPIES + EDGES + program) == message + "\n"


def test_real_edges_are_taken() -> None:
    program = "print(torch.autograd.grad(GradientEdge(node, 0), get_gradient_edge(x)), torch.autograd.grad((x * 2).sum(), {'a': get_gradient_edge(x)}))"
    assert told(EDGES + program) == "(tensor([2., 2., 2.]),) {'a': tensor([2., 2., 2.])}\n"


ROOT: Final = """
import torch.fx as fx
class Victim: pass
victim = Victim()
class T({}):
    asked = 0
    graph = fx.Graph()
    @property
    def root(self):
        T.asked += 1
        return torch.nn.Linear(1, 1) if T.asked % 2 else victim
for _ in range(4):
    try: fx.Proxy(T.graph.placeholder("x"), T()) + torch.ones(2)
    except TypeError: continue
    except AttributeError: continue
print(vars(victim))
"""


@pytest.mark.parametrize("base", ["", "fx.Tracer"])
def test_a_root_is_a_module_when_it_is_written(base: str) -> None:
    assert told(ROOT.format(base)) == "{}\n"


PARTS: Final = """
import torch.nn as nn, torch.distributions as D, torch.nn.functional as F
from torch.nn.utils.rnn import PackedSequence, pad_packed_sequence, unpack_sequence
from torch.distributions import transforms as T
import torch.autograd.forward_ad as fwd
from torch.nn.utils import prune
x = torch.ones(2, 2)
sizes = torch.tensor([1, 1])
rnn = nn.LSTM(2, 2)
calls = [lambda s=s: of(s) for of in (pad_packed_sequence, unpack_sequence, rnn, nn.GRU(2, 2)) for s in (
    PackedSequence(Spy(), Spy()), PackedSequence(x, Spy()), PackedSequence(Spy(), sizes), PackedSequence(x, sizes, None, Spy()), PackedSequence(x, sizes, Spy(), Spy()))]
calls += [lambda: rnn(Spy()), lambda: rnn(x, (Spy(), Spy())), lambda: F.binary_cross_entropy(x, x, Spy()), lambda: F.gaussian_nll_loss(x, x, Spy()),
    lambda: T.SigmoidTransform().inv(Spy()), lambda: T.SigmoidTransform()(Spy()), lambda: T.StickBreakingTransform().inv(Spy()), lambda: T.CorrCholeskyTransform()(Spy()),
    lambda: F.instance_norm(torch.ones(1, 2, 3), Spy(), Spy()), lambda: prune.PruningContainer(Spy()), lambda: torch.nn.functional.linear_cross_entropy(x, Spy(), Spy())]
def dual():
    with fwd.dual_level():
        fwd.make_dual(x, x)
        fwd.unpack_dual(Spy())
for call in (*calls, dual):
    try: call()
    except Exception: continue
"""


def test_parts_that_are_no_tensors_are_not_looked_into() -> None:
    assert told(PARTS) == ""
