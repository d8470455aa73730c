"""Programs that the fork server runs before there is anything to do, as learners write them.

The interpreter adapts its code to what runs often, and writes into the code as it does; the engine keeps what it has
worked out once. A process that is forked afterwards finds both done, and copies fewer pages of memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

ROUNDS: Final = 8
"""A function is adapted after eight calls, in CPython 3.11 to 3.13."""

PROGRAMS: Final[tuple[dict[str, Any], ...]] = (
    {
        "source": "c = a.mm(b)\nprint(c)",
        "inputs": {"a": [[1, 2], [3, 4]], "b": [[1, 2, 3], [4, 5, 6]]},
        "gradient": [[1, 1, 1], [1, 0, 1]],
    },
    {
        "source": """import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
z = (x ** 2 + y).exp() / 3
z.backward(torch.tensor([1.0, 0.0, 0.5]), retain_graph=True)
print(x.grad, y.shape)
z.sum().backward()
y.backward()
"""
    },
    {
        "source": """import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 4)
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        return self.last(torch.relu(self.hidden(x)))

torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
inputs, targets = torch.randn(5, 3), torch.ones(5, 1)
for step in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
"""
    },
    {
        "source": """import torch
w = torch.zeros(2, 1, requires_grad=True)
b = torch.tensor(0.5, requires_grad=True)
data = torch.arange(6.0).view(3, 2)
for turn in range(3):
    loss = ((data @ w + b).mean(dim=0) - 1).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
        b -= 0.05 * b.grad
    w.grad.zero_()
    b.grad = None
"""
    },
    {
        "source": """import torch
import torch.nn.functional as F
logits = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())(torch.ones(4, 2))
F.cross_entropy(logits, torch.tensor([0, 1, 2, 0])).backward()
print(logits.detach().softmax(dim=-1)[0])
torch.ones(2, 3) @ torch.ones(2, 3)
"""
    },
)
"""What most programs do: inputs and gradient given, a gradient twice, an error that is told, a model trained, steps by hand,
classes told apart, shapes that do not fit."""


def practising(run: Callable[[dict[str, Any]], object]) -> Iterator[None]:
    """Run every program so often, one at each step."""
    for _ in range(ROUNDS):
        for program in PROGRAMS:
            run(program)
            yield
