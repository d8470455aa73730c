"""What the page's tests pick elements of: runs of small programs with the Jacobians of all their functions.

``python -m scripts.generate.elements [--check] FILE``
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gradflow.engine.run import run
from scripts.generate import fixture

PROGRAMS = {
    "layer": """import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 2))
x = torch.tensor([[1., -2., 0.5], [0.25, 3., -1.]])
loss = nn.functional.mse_loss(model(x), torch.ones(2, 2))
loss.backward()
""",
    "many": """import torch
import torch.nn.functional as F
x = torch.tensor([[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], requires_grad=True)
w = torch.tensor([[0.5, -0.5, 1.0], [2.0, 0.5, 0.25]], requires_grad=True)
y = F.softmax(x @ w.T, dim=1) + F.layer_norm(x, [3]).norm() * x.abs().sqrt()[:, :2].cumsum(0)
z = torch.cat([y, torch.stack(x.unbind(0))[:, 1:].clamp(min=-1)], dim=1)
z[0, 1:3] = w[1, :2].exp()
v = z.view(4, 2).max(dim=0).values.prod() + F.conv1d(z[None], z[None, :, :2]).tanh().sum()
v = v + F.cross_entropy(z, torch.tensor([1, 0])) + torch.linalg.det(z[:, :2])
v.backward(retain_graph=True)
v.backward()
""",
    "shared": """import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
b = torch.tensor([[2.], [5.]], requires_grad=True)
y = x * b + x / b - x
m = y.mean(dim=1) + (y * y).sum()
y.backward(torch.tensor([[1., 2., 3.], [4., 5., 6.]]), retain_graph=True)
m.backward(torch.tensor([1., -1.]))
""",
    "failed": """import torch
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
b = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
c = a.mm(b)
c.backward()
""",
    "hooked": """import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
y.register_hook(lambda g: g * 10)
(y * y).sum().backward()
""",
}
"""Beside those of the gallery that are small."""

MOST_FUNCTIONS = 16


def recorded() -> Iterator[dict[str, object]]:
    """The runs, each under the name of its program."""
    gallery = {path.stem: path.read_text() for path in sorted(Path("examples").glob("*.py"))}
    for name, source in (gallery | PROGRAMS).items():
        plain = run(source)
        if name in PROGRAMS or 0 < len(plain.nodes) <= MOST_FUNCTIONS:
            told = [node.id for node in plain.nodes]
            yield {"name": name, "trace": run(source, local_jacobians=told, jacobian=True)}


if __name__ == "__main__":
    fixture.write(recorded())
