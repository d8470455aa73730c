"""Random programs that PyTorch accepts, as text: leaves, some twenty statements, gradients of order 1 and 2.

A statement is drawn from `STATEMENTS`, filled with the tensors there are, and tried under PyTorch; one that raises or
leaves the range where numbers can be compared is dropped. The program reports by printing, so that its text runs
unchanged under PyTorch and under the engine.
"""

from __future__ import annotations

import contextlib
import io
import random
from dataclasses import dataclass, field
from typing import Any

import torch

REPORT = """
def show(name, t):
    function = None if t.grad_fn is None else t.grad_fn.name()
    print(name, t.dtype, tuple(t.shape), t.requires_grad, t.is_leaf, t._version, function, *numbers(t))


def show_gradient(name, t):
    print(name, *([t.dtype, tuple(t.shape), t.requires_grad, *numbers(t)] if t is not None else []))


def numbers(t):
    return '|', t.detach().reshape(-1).tolist()
"""

SHAPES = [(), (1,), (2,), (3,), (2, 3), (3, 2), (1, 3), (2, 1), (2, 2), (3, 3), (2, 3, 2), (1, 2, 3), (2, 2, 2), (3, 1)]

POINTWISE = """
{v} = torch.exp({a} * 0.5)
{v} = {a}.exp().sqrt()
{v} = torch.log({a}.abs() + 0.5)
{v} = torch.sqrt({a} * {a} + 0.3)
{v} = {a}.abs()
{v} = -{a}
{v} = torch.neg({a})
{v} = torch.sin({a})
{v} = {a}.cos()
{v} = torch.tan({a} * 0.3)
{v} = torch.tanh({a})
{v} = {a}.sigmoid()
{v} = torch.relu({a})
{v} = {a}.clamp(-0.8, 0.9)
{v} = torch.clamp({a}, min=0.1)
{v} = {a}.clamp(max=0.4)
{v} = {a} + {b}
{v} = {a} - {b}
{v} = {a} * {b}
{v} = {a} / ({b} * {b} + 1)
{v} = {a} + {k}
{v} = {k} - {a}
{v} = {k} * {a}
{v} = {a} / {k}
{v} = {k} / ({a}.abs() + 1)
{v} = torch.add({a}, {b}, alpha=2)
{v} = torch.sub({a}, {b})
{v} = torch.mul({a}, {k})
{v} = {a} ** 2
{v} = {a} ** 3
{v} = {a}.pow(2)
{v} = ({a}.abs() + 0.5) ** {b}
{v} = 2 ** {a}
{v} = ({a} * {a} + 1) ** -0.5
{v} = torch.maximum({a}, {b})
{v} = torch.minimum({a}, {b})
{v} = torch.where({a} > 0, {a}, {b})
{v} = torch.where({a} > {b}, {a} * 2, {b})
{v} = torch.where({a} < 0.2, {a}, 0.5)
{v} = {a} * ({b} > 0)
{v} = {a} + torch.ones_like({a})
{v} = {a} * torch.full_like({a}, 1.5)
{v} = {a}.clone()
{v} = {a}.detach() * {b}
"""

REDUCTIONS = """
{v} = {a}.sum()
{v} = {a}.mean()
{v} = torch.sum({a}, dim={d})
{v} = {a}.sum({d}, keepdim=True)
{v} = {a}.mean(dim={d})
{v} = {a}.mean({d}, keepdim=True)
{v} = {a}.sum((0, 1))
{v} = {a}.mean(dim=(0, -1), keepdim=True)
{v} = {a}.prod()
{v} = {a}.prod({d})
{v} = {a}.prod(dim={d}, keepdim=True)
{v} = {a}.max()
{v} = {a}.min()
{v} = {a}.max({d})[0]
{v} = {a}.min(dim={d}, keepdim=True).values
{v} = torch.max({a}, {b})
{v} = torch.min({a}, dim={d}).values
{v} = {a}.norm()
{v} = {a}.norm(dim={d})
{v} = torch.norm({a}, dim={d}, keepdim=True)
{v} = {a}.norm(1)
{v} = {a}.norm(3)
"""

PRODUCTS = """
{v} = {a}.mm({b})
{v} = torch.mm({a}, {b})
{v} = {a} @ {b}
{v} = torch.matmul({a}, {b})
{v} = {a} @ {b}.transpose(-2, -1)
{v} = {a}.mv({b})
{v} = torch.dot({a}, {b})
{v} = torch.bmm({a}, {b})
{v} = torch.outer({a}, {b})
{v} = {a}.t() @ {b}
{v} = {a}.T @ {a}
{v} = {a}.reshape(-1) @ {a}.reshape(-1)
"""

SHAPING = """
{v} = {a}.t()
{v} = {a}.T
{v} = {a}.transpose(0, {d})
{v} = torch.transpose({a}, -1, 0)
{v} = {a}.permute(1, 0)
{v} = {a}.permute(2, 0, 1)
{v} = {a}.view(-1)
{v} = {a}.view(3, 2)
{v} = {a}.reshape(-1)
{v} = {a}.reshape(1, -1)
{v} = {a}.transpose(0, -1).reshape(-1)
{v} = torch.flatten({a})
{v} = {a}.flatten(1)
{v} = {a}.squeeze()
{v} = {a}.squeeze({d})
{v} = {a}.unsqueeze({d})
{v} = {a}.unsqueeze(-1)
{v} = {a}.expand(2, 3)
{v} = {a}.expand(2, -1)
{v} = torch.cat([{a}, {b}])
{v} = torch.cat(({a}, {b}, {a}), dim={d})
{v} = torch.stack([{a}, {b}])
{v} = torch.stack(({a}, {b}), dim={d})
"""

INDEXING = """
{v} = {a}[0]
{v} = {a}[-1]
{v} = {a}[1:]
{v} = {a}[..., 0]
{v} = {a}[:, 1]
{v} = {a}[:, ::2]
{v} = {a}[None]
{v} = {a}[:, None]
{v} = {a}[..., None]
{v} = {a}[0, 1]
{v} = {a}[1, ..., :1]
{v} = {a}[[0, 0, 1]]
{v} = {a}[torch.tensor([1, 0])]
{v} = {a}[:, [1, 0, 1]]
{v} = {a}[torch.tensor([0, 1]), torch.tensor([1, 1])]
{v} = {a}[{a} > -0.5]
{v} = {a}[{a} > {a}.mean()].sum()
"""

WRITES = """
{i} += {b}
{i} -= {b}
{i} *= {b}
{i} /= 2
{i} += {k}
{i} *= {k}
{i}.add_({b}, alpha=2)
{i}.sub_({k})
{i}.mul_({b})
{i}.div_(1.5)
{i}.neg_()
{i}.sin_()
{i}.tanh_()
{i}.sigmoid_()
{i}.relu_()
{i}.clamp_(-1, 1)
{i}.zero_()
{i}.fill_({k})
{i}.copy_({b})
{i} **= 2
{i}[0] = {b}
{i}[0] = {k}
{i}[1:] = {b}
{i}[..., 0] = {b}
{i}[:, 1] = {k}
{i}[0] += {b}
{i}[..., -1] *= {k}
{i}[[0, 1]] = {b}
{i}[{i} > 0] = {k}
{i}[{i} < -0.3] *= 2
{i}.t().mul_(2)
{i}.view(-1)[0] = {k}
{i}[None][0].add_(1)
{i}.unsqueeze(0).mul_({k})
"""

CREATIONS = """
{v} = torch.zeros(2, 3) + {a}
{v} = torch.ones(3, dtype=torch.float64) * {a}
{v} = torch.arange(3) * {a}
{v} = torch.arange(1., 7.).reshape(2, 3) * {a}
{v} = torch.linspace(0, 1, 3) + {a}
{v} = torch.eye(2) @ {a}
{v} = torch.full((2, 1), 0.5) * {a}
{v} = torch.zeros_like({a})
{v} = torch.tensor([1, 2, 3]) * {a}
{v} = {a}.double() * 0.5
{v} = {a} + True
"""


def _lines(block: str) -> list[str]:
    return block.strip().splitlines()


STATEMENTS: list[tuple[int, list[str]]] = [
    (8, _lines(POINTWISE)),
    (4, _lines(REDUCTIONS)),
    (3, _lines(PRODUCTS)),
    (4, _lines(SHAPING)),
    (4, _lines(INDEXING)),
    (3, _lines(WRITES)),
    (1, _lines(CREATIONS)),
]


@dataclass
class Generator:
    """Draws one program; `lines` grows as statements are accepted, `names` holds their results under PyTorch."""

    seed: int
    lines: list[str] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=lambda: {"torch": torch})
    leaves: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def program(self) -> str:
        dtype = self.random.choice(["torch.float64", "torch.float64", "torch.float32"])
        for _ in range(self.random.randint(1, 4)):
            self._leaf(dtype)
        for _ in range(self.random.randint(4, 22)):
            self._statement()
        gradient = self._gradients()
        report = [f"show({name!r}, {name})" for name in [*self.leaves, *self.values]]
        return "\n".join(["import torch", *self.lines, REPORT, *report, *gradient]) + "\n"

    def _number(self) -> float:
        """A short number, never 0: at a kink PyTorch's second derivatives are what its kernels happen to do."""
        return round(self.random.uniform(-2, 2), self.random.choice([1, 2, 2, 3])) or 0.5

    def _nested(self, shape: tuple[int, ...]) -> Any:
        return [self._nested(shape[1:]) for _ in range(shape[0])] if shape else self._number()

    def _leaf(self, dtype: str) -> None:
        name = f"x{len(self.leaves)}"
        data = self._nested(self.random.choice(SHAPES))
        wanted = self.random.random() < 0.9 or not self.leaves
        if self._try(f"{name} = torch.tensor({data}, dtype={dtype}, requires_grad={wanted})"):
            self.leaves.append(name)

    def _statement(self) -> None:
        block = self.random.choices([block for _, block in STATEMENTS], [weight for weight, _ in STATEMENTS])[0]
        for _ in range(12):
            fresh = f"v{len(self.values)}"
            line = self.random.choice(block).format(
                v=fresh,
                a=self._pick(),
                b=self._pick(),
                i=self.random.choice(self.values or self.leaves),
                k=self._number(),
                d=self.random.choice([0, 0, 1, -1, 2]),
            )
            if self._try(line):
                if fresh in self.names:
                    self.values.append(fresh)
                return

    def _pick(self) -> str:
        """Any tensor, later ones more often."""
        names = [*self.leaves, *self.values]
        return max(self.random.choices(names, k=2), key=names.index) if self.random.random() < 0.7 else names[0]

    def _try(self, line: str) -> bool:
        """Run a line on copies of what there is; keep it where everything stays finite and of moderate size."""
        trial: dict[str, Any] = {"torch": torch}
        try:
            exec("\n".join([*self.lines, line]), trial)
        except (RuntimeError, IndexError, ValueError, TypeError):
            return False
        tensors = [value for value in trial.values() if isinstance(value, torch.Tensor)]
        if any(not bool(t.detach().abs().le(1e3).all()) or t.numel() > 64 for t in tensors):
            return False
        self.lines.append(line)
        self.names = trial
        return True

    def _gradients(self) -> list[str]:
        """Backward from a weighed sum of the last results; then the gradient of a weighed sum of the gradients."""
        sources = [name for name in self.leaves if self.names[name].requires_grad]
        outputs = [name for name in self.values if self.names[name].requires_grad][-6:] or sources[:1]
        first = (
            [self._vector_backward(outputs[-1])]
            if self.random.random() < 0.4
            else [f"out = {self._weighed(outputs)}", "out.backward(retain_graph=True)"]
        )
        shown = [f"show_gradient('{name}.grad', {name}.grad)" for name in sources]
        return [*first, *shown, *self._second_order(outputs, sources)]

    def _weighed(self, outputs: list[str]) -> str:
        return " + ".join(f"({name} * {self._number()}).sum()" for name in outputs)

    def _vector_backward(self, output: str) -> str:
        value = self.names[output]
        gradient = self._nested(tuple(value.shape))
        return f"{output}.backward(torch.tensor({gradient}, dtype={value.dtype}), retain_graph=True)"

    def _second_order(self, outputs: list[str], sources: list[str]) -> list[str]:
        inputs = ", ".join(sources)
        weights = ", ".join(str(self._number()) for _ in sources)
        return [
            f"loss = {self._weighed(outputs)}",
            f"first = torch.autograd.grad(loss, [{inputs}], create_graph=True, allow_unused=True)",
            "for g in first:",
            "    show_gradient('first', g)",
            f"again = [(g * g * w).sum() for g, w in zip(first, [{weights}]) if g is not None and g.requires_grad]",
            "if again:",
            f"    for g in torch.autograd.grad(sum(again), [{inputs}], allow_unused=True):",
            "        show_gradient('second', g)",
        ]


def program(seed: int) -> str:
    """The text of the program with this seed; the same on every machine. About one in twenty ends in an error."""
    for attempt in range(100):
        text = Generator(seed * 1000 + attempt).program()
        if _runs(text, seed % 20 == 0):
            return text
    raise AssertionError(f"no program with seed {seed} runs")


def _runs(text: str, modified: bool) -> bool:
    """Whether a program runs to its end, or ends in the error about an overwritten variable where that is wanted."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(text, {})
    except RuntimeError as error:
        return modified and "modified by an inplace operation" in str(error)
    return True
