"""Programs as hypothesis draws them: statements of the language around operations of the registry.

Nothing is run while a program is drawn, so that a failing one can be made small. Every statement may raise: it prints
what it raised, or ends the program. The text runs unchanged under PyTorch and under the engine.
"""

from __future__ import annotations

import math
import os
import textwrap
from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from gradflow.engine.namespace.torch import modules
from gradflow.engine.registry import REGISTRY, Op, Sample
from tests.oracle.generator import STATEMENTS

modules()  # declares the operations

PRELUDE: Final = """
import torch
import torch.nn as nn
import torch.nn.functional as F

def show(name, t):
    if isinstance(t, torch.Tensor):
        function = None if t.grad_fn is None else t.grad_fn.name()
        memory = () if 'grad' in name else MEMORY
        print(name, t.dtype, tuple(t.shape), *memory, t.requires_grad, t.is_leaf, function, '|', *numbers(t))
    elif isinstance(t, (tuple, list)):
        for each in t:
            show(name, each)
    else:
        print(name, t)

def numbers(t):
    return torch.view_as_real(t.detach().resolve_conj()).reshape(-1).tolist() if t.is_complex() else t.detach().reshape(-1).tolist()
"""
DEFINITIONS: Final = """
from torch.utils.checkpoint import checkpoint

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * t

    @staticmethod
    def backward(ctx, g):
        t, = ctx.saved_tensors
        print('backward of Square', ctx.needs_input_grad, tuple(g.shape))
        return 2 * t * g

class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.factor = nn.Parameter(torch.tensor(1.5))
        self.register_buffer('shift', torch.tensor(0.5))
        self.register_forward_hook(lambda module, given, result: print('hook of', module, len(given)))

    def forward(self, t):
        return t * self.factor + self.shift

def once(t):
    def hook(g):
        handle.remove()
        print('once', g)
    handle = t.register_hook(hook)

def steps(t):
    parameter = t.detach().clone().requires_grad_()
    optimizer = torch.optim.SGD([parameter], lr=0.1, momentum=0.9)
    for step in range(2):
        optimizer.zero_grad()
        loss = (parameter ** 2).sum()
        loss.backward()
        optimizer.step()
        print(step, loss, parameter)
"""
FRESH: Final = "GRADFLOW_ORACLE_FRESH" in os.environ
"""Whether new programs are wanted: these use `MORE` of the language, and wrong arguments, and tell more: texts of errors,
strides and versions."""
NAMES: Final = ("x", "w", "b", "u", "v", "y")
SHAPES: Final = (
    (),
    (1,),
    (2,),
    (3,),
    (2, 3),
    (3, 2),
    (1, 3),
    (2, 1),
    (2, 2),
    (3, 3),
    (2, 3, 2),
    (1, 2, 3),
    (0,),
    (2, 0),
)
FORMULAS: Final = [line for _, block in STATEMENTS for line in block if FRESH or line != "{i}[[0, 1]] = {b}"]
BACKWARD: Final = """
{a}.backward()
{a}.sum().backward()
{a}.sum().backward(retain_graph=True)
{a}.backward(torch.ones_like({a}))
{a}.backward({b})
{a}.backward(gradient={a}.detach(), retain_graph=True)
{a}.backward(torch.ones(2))
({a} * {b}).sum().backward()
({a} ** 2).mean().backward(inputs=[{b}])
torch.autograd.backward([{a}.sum(), {b}.sum()])
torch.autograd.backward([{a}, {b}], [torch.ones_like({a}), torch.ones_like({b})], retain_graph=True)
show('grad', torch.autograd.grad({a}.sum(), {b}))
show('grad', torch.autograd.grad({a}.sum(), [{b}, {c}], allow_unused=True))
show('grad', torch.autograd.grad({a}, {b}, torch.ones_like({a}), create_graph=True))
show('grad', torch.autograd.grad({a}.pow(2).sum(), {b}, create_graph=True)[0].sum())
show('grad', torch.autograd.grad({a}.sum(), {b}, retain_graph=True, materialize_grads=True))
show('grad twice', torch.autograd.grad(torch.autograd.grad({a}.pow(3).sum(), {b}, create_graph=True)[0].sum(), {b}))
show('grad as jacobian', torch.autograd.functional.jacobian(lambda t: t * {b}, {a}))
show('grad as hessian', torch.autograd.functional.hessian(lambda t: (t ** 3).sum(), {a}))
show('grad by vjp', torch.autograd.functional.vjp(lambda t: t.exp(), {a}, torch.ones_like({a})))
show('grad by func', torch.func.grad(lambda t: (t * {b}).sum())({a}))
""".strip().splitlines()
STATE: Final = """
{a}.retain_grad()
{a}.requires_grad_()
{a}.requires_grad_(False)
{a}.requires_grad = True
{a}.detach_()
{a}.grad = None
{a}.grad.zero_()
{a}.grad = torch.ones_like({a})
{a}.register_hook(lambda g: g * 2)
{a}.register_hook(lambda g: print('hook', tuple(g.shape), g.requires_grad))
{a}.register_post_accumulate_grad_hook(lambda t: print('leaf', tuple(t.shape)))
{a}.data = {b}
{a}.data.mul_(2)
{a} = {b}.detach()
{a} = {b}.clone().detach().requires_grad_(True)
{a} = {b}.data
{a} = {b}.double()
{a} = {b}.to(torch.int64)
{a} = {b}.float().requires_grad_()
{a}, {b} = {b}, {a}
{a} = torch.chunk({b}, 2)[0]
{a} = {b}.unbind(0)[0]
{a} = {b}.expand(2, *{b}.shape)
{a} = {b}.as_strided((2,), (1,))
{a} = {b}.contiguous()
{a} = {b}.grad
""".strip().splitlines()
LOOKS: Final = """
show('{a}', {a})
print({a})
print({a}.shape, {a}.dtype, {a}.requires_grad)
show('{a}.grad', {a}.grad)
print({a}.grad)
print({a}.grad_fn is None, {a}.is_leaf, {a}._version)
print([f[0] and f[0].name() for f in {a}.grad_fn.next_functions])
print({a}.tolist())
print({a}.item())
print(f'{{{a}}}')
print({a} == {b})
print(({a} > 0).any(), torch.equal({a}, {b}))
print(bool({a}))
print(len({a}), [tuple(row.shape) for row in {a}])
print({a}._base is None, {a}.is_contiguous())
""".strip().splitlines()
MORE: Final = """
{a} = F.binary_cross_entropy_with_logits({b}, {c})
{a} = torch.stack([t * 2 for t in {b}.unbind(0)])
{a} = sum(t.sum() for t in [{b}, {c}])
{a} = {{'one': {b}, 'two': {c} * 2}}['two']
{a} = (lambda t, k=2: t * k)({b})
{a} = Square.apply({b})
{a} = Square.apply({b}).sum() + {c}
{a} = Scaled()({b})
{a} = torch.no_grad()(lambda t: t * 2)({b})
{a} = torch.utils.checkpoint.checkpoint(lambda t: t.exp() * 2, {b}, use_reentrant=False)
{a} = torch.from_numpy({b}.detach().numpy()).requires_grad_()
{a} = torch.as_tensor({b}.detach().numpy() * 2)
{a} = {b}.half().float()
{a} = {b}.half() * 2
{a} = {b}.to(torch.complex64)
{a} = torch.view_as_real({b} * 1j)
{a} = torch.complex({b}, {c}).abs()
{a} = torch.func.vmap(lambda t: t * 2)({b})
show('grad', torch.func.grad(torch.func.grad(lambda t: (t ** 3).sum()))({a}))
show('grad', torch.func.vmap(torch.func.grad(lambda t: (t * t).sum()))({a}))
show('grad', torch.func.jacrev(lambda t: t.sin())({a}))
show('grad', torch.func.jacfwd(lambda t: t * {b}.sum().detach())({a}).detach())
show('grad', torch.func.hessian(lambda t: t.pow(3).sum())({a}).detach())
{a}.view(-1)[0].mul_(2)
{a}[0][0:1].add_(1)
{a}.view(-1).view({a}.shape).zero_()
{a}.t().copy_({b})
{a}[...] = {b}
once({a})
steps({a})
torch.set_printoptions(precision=2); print({a}); torch.set_printoptions(profile='default')
torch.set_printoptions(sci_mode=True); print({a}); torch.set_printoptions(profile='default')
print(f'{{{a}.sum().item():.3f}} {{{a}.shape}}', *[float(v) for v in {a}.reshape(-1)[:2]])
print({{k: tuple(v.shape) for k, v in dict(a={a}, b={b}).items()}}, max(v.numel() for v in ({a}, {b})))
print([t.grad_fn for t in ({a}.detach(), {b}.data)], {a}.numpy())
print({a}.detach().numpy().sum(), {a}.detach().numpy().dtype)
print(sorted({a}.reshape(-1).tolist(), reverse=True), zip([{a}], [{b}]).__next__()[0].dim())
""".strip().splitlines()
BLOCKS: Final = (
    "for i in range(2):",
    "with torch.no_grad():",
    "with torch.enable_grad():",
    "with torch.set_grad_enabled({flag}):",
    "if {flag}:",
    "if ({a} > 0).all():",
    "with torch.autograd.set_detect_anomaly(True):",
    *(["with torch.inference_mode({flag}):"] if FRESH else []),
    "for {a} in [{a}, {b}]:",
)
LAYERS: Final = """
{a} = nn.Linear(3, 2)({b})
{a} = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))({b})
{a} = F.softmax({b}, dim=-1)
{a} = F.log_softmax({b}, 0)
{a} = F.mse_loss({b}, {c})
{a} = F.cross_entropy({b}, torch.tensor([0, 1]))
{a} = F.dropout({b}, 0.5)
{a} = nn.LayerNorm(3)({b})
{a} = nn.BatchNorm1d(3)({b})
{a} = F.pad({b}, (1, 1))
{a} = torch.einsum('ij,jk->ik', {b}, {c})
{a} = nn.Parameter({b})
{a} = torch.rand(2, 3, requires_grad=True)
{a} = torch.randn(3)
{a} = torch.randint(0, 9, (2, 2))
""".strip().splitlines()
SETTINGS: Final = (None, -1, 0, 1, 2, 7, True, 1.5, "mean", "x", (0, 1), [1], [], (0, 0), -9, float("inf"))
names = st.sampled_from(NAMES)
small = st.integers(-8, 8).map(lambda n: n / 4)


@st.composite
def nested(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """Numbers as nested lists of a shape."""
    return [draw(nested(shape[1:])) for _ in range(shape[0])] if shape else draw(small)


@st.composite
def leaf(draw: st.DrawFn, name: str) -> str:
    """A line that makes a tensor."""
    data = draw(nested(draw(st.sampled_from(SHAPES[:12] if draw(st.integers(0, 9)) else SHAPES))))
    dtype = draw(st.sampled_from(["float64"] * 6 + ["float32"] * 2 + ["int64"]))
    wanted = dtype != "int64" and draw(st.integers(0, 9)) > 1
    return f"{name} = torch.tensor({data}, requires_grad={wanted}, dtype=torch.{dtype})"


# -- operations of the registry ------------------------------------------------------------------------------------------


def public_calls() -> list[tuple[str, Op, Sample]]:
    """Every sample of every operation that has a name of its own in ``torch``."""
    found = []
    for op in REGISTRY:
        if op.torch is None or op.adapt is not None or (op.torch or "").startswith("ops."):
            continue
        place = op.torch or (op.functions[0] if op.functions else f"Tensor.{op.methods[0]}" if op.methods else "")
        if place and not place.startswith("_"):
            found += [(place, op, sample) for sample in op.samples]
    return found


CALLS: Final = public_calls()


def literal(value: Any) -> str:
    """A value as Python text."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(literal, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    return f"torch.{value.name}" if hasattr(value, "legacy") else repr(value)


def tensor_literal(value: Any, dtype: str, wanted: bool) -> str:
    """A sample's array as a call of ``torch.tensor``."""
    array = np.array(value)
    kind = dtype if array.dtype.kind == "f" and not isinstance(value, np.ndarray) else str(array.dtype)
    kind = {"complex128": "complex128" if dtype == "float64" else "complex64"}.get(kind, kind)
    text = literal(array.tolist()).replace("nan", "nan")
    asked = f", requires_grad={wanted}" if array.dtype.kind in "fc" else ""
    return f"torch.tensor({text}, dtype=torch.{kind}{asked})"


@st.composite
def registry_call(draw: st.DrawFn, target: str, distort: bool) -> str:
    """A call of an operation with one of its samples, as function or as method, perhaps with a wrong argument."""
    place, op, sample = draw(st.sampled_from(CALLS))
    options = dict(sample[-1]) if sample and isinstance(sample[-1], dict) else {}
    given = list(sample[:-1] if options else sample)
    dtype = draw(st.sampled_from(["float64", "float64", "float32"]))
    parameters = [p for p in op.params for _ in ((0,) * len(given) if p.spread else (0,))][: len(given)]
    parts = [_argument(draw, p.kind, value, dtype) for p, value in zip(parameters, given, strict=True)]
    if distort and parts:
        spot = draw(st.integers(0, len(parts) - 1))
        parts[spot] = draw(st.sampled_from([literal(s) for s in SETTINGS]) | names)
    keywords = [f"{key}={literal(value)}" for key, value in options.items()]
    if distort and draw(st.integers(0, 3)) == 0:
        keywords.append(draw(st.sampled_from(["dim=0", "keepdim=True", "foo=1", "dtype=torch.float64", "dim=5"])))
    if place.startswith("Tensor.") or (op.methods and not op.torch and draw(st.booleans())):
        name = place.removeprefix("Tensor.") if place.startswith("Tensor.") else op.methods[0]
        return f"{target} = {parts[0]}.{name}({', '.join(parts[1:] + keywords)})"
    return f"{target} = torch.{place}({', '.join(parts + keywords)})"


def _argument(draw: st.DrawFn, kind: str, value: Any, dtype: str) -> str:
    if kind == "setting" or value is None or isinstance(value, str):
        return literal(value)
    wanted = draw(st.booleans())
    if kind == "tensors":
        return f"[{', '.join(tensor_literal(each, dtype, wanted) for each in value)}]"
    if kind == "operand" and isinstance(value, bool | int | float | complex):
        return literal(value)
    return tensor_literal(value, dtype, wanted)


# -- programs ------------------------------------------------------------------------------------------------------------


@st.composite
def simple(draw: st.DrawFn) -> str:
    """One line."""
    a, b, c = draw(names), draw(names), draw(names)
    choice = draw(st.integers(0, 23 if FRESH else 19))
    if choice < 4:
        return draw(registry_call(a, distort=FRESH and choice == 3))
    block = (
        FORMULAS
        if choice < 10
        else BACKWARD
        if choice < 13
        else STATE
        if choice < 16
        else LOOKS
        if choice < 19
        else LAYERS
        if choice < 20
        else MORE
    )
    line = draw(st.sampled_from(block))
    return line.format(
        v=a,
        a=b if block is FORMULAS else a,
        b=c if block is FORMULAS else b,
        i=a,
        c=c,
        k=draw(small),
        d=draw(st.sampled_from([0, 1, -1, 2])),
    )


@st.composite
def statement(draw: st.DrawFn, depth: int = 0) -> str:
    """A line that prints what it raises, or a block of such lines."""
    choice = draw(st.integers(0, 14))
    if choice < 2 and depth < 2:
        body = "\n".join(draw(st.lists(statement(depth + 1), min_size=1, max_size=3)))
        head = draw(st.sampled_from(BLOCKS)).format(a=draw(names), b=draw(names), flag=draw(st.booleans()))
        return f"{head}\n{textwrap.indent(body, '    ')}"
    if choice == 2 and depth < 2:
        body = "\n".join(draw(st.lists(statement(depth + 2), min_size=1, max_size=2)))
        inner = textwrap.indent(f"global {', '.join(NAMES)}\n{body}\nreturn {draw(names)} * 2", "    ")
        return f"def f(t):\n{inner}\n" + guarded(f"{draw(names)} = f({draw(names)})")
    line = draw(simple())
    return guarded(line)


def guarded(line: str) -> str:
    """The line, with what it raises printed."""
    told = "type(error).__name__, error" if FRESH else "type(error).__name__"
    return f"try:\n    {line}\nexcept Exception as error:\n    print({told})"


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A whole program; one in five ends in a line that may raise."""
    head = [draw(leaf(name)) for name in NAMES]
    body = draw(st.lists(statement(), min_size=2, max_size=12))
    tail = [guarded(f"show('{name}', {name})\n    show('{name}.grad', {name}.grad)") for name in NAMES]
    last = [draw(simple())] if draw(st.integers(0, 4)) == 0 else []
    prelude = PRELUDE.replace("MEMORY", "(t.stride(), t._version)" if FRESH else "()")
    return "\n".join([prelude, DEFINITIONS, "torch.manual_seed(0)", *head, *body, *tail, *last]) + "\n"
