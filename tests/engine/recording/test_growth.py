"""What is told of a run takes work in proportion to its length: counted in calls, which no busy machine changes."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from gradflow.engine.run import run

HEAD = "import torch\nfrom torch import nn\ntorch.manual_seed(0)\n"
PROGRAMS = {
    "gradients that are not zeroed": """
w = torch.zeros(3, requires_grad=True)
total = 0
for i in range(N):
    loss = (w * i).sum()
    loss.backward()
    with torch.no_grad():
        w -= 1e-6 * w.grad
    total += loss
""",
    "many tensors in one": """
w = torch.randn(4, requires_grad=True)
torch.stack([w * i for i in range(N)]).mean().backward()
""",
    "one graph again and again": """
y = torch.ones(4, requires_grad=True).sum() * 1
for i in range(N):
    y.backward(retain_graph=True)
""",
    "gradients of gradients": """
w = torch.randn(4, requires_grad=True)
total = 0
for i in range(N):
    g, = torch.autograd.grad((w ** 2).sum(), w, create_graph=True)
    total = total + g.sum()
total.backward()
""",
    "two optimizers": """
a, b = nn.Linear(2, 2), nn.Linear(2, 1)
first, second = torch.optim.SGD(a.parameters(), lr=0.1), torch.optim.SGD(b.parameters(), lr=0.1)
for i in range(N):
    x = torch.ones(1, 2)
    second.zero_grad(); (b(x) - b(a(x).detach())).mean().backward(); second.step()
    first.zero_grad(); (-b(a(x))).mean().backward(); first.step()
""",
    "averages of weights": """
m, t = nn.Linear(3, 1), nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.01)
for i in range(N):
    o.zero_grad(); (m(torch.ones(1, 3)) - t(torch.ones(1, 3)).detach()).pow(2).mean().backward(); o.step()
    with torch.no_grad():
        for p, q in zip(t.parameters(), m.parameters()): p.mul_(0.9).add_(q, alpha=0.1)
""",
}
FEW, MANY = 100, 300
MOST = 3.6
"""Three times as many turns may cost so many times as much: what grows with the square costs nine times."""


def calls_to_tell(source: str) -> int:
    trace = run(source)
    assert trace.error is None
    count = 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        assert trace.nodes is not None
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", PROGRAMS)
def test_work_grows_as_the_run_does(name: str) -> None:
    few, many = (calls_to_tell(f"{HEAD}N = {n}{PROGRAMS[name]}") for n in (FEW, MANY))
    assert many < MOST * few, (few, many)
