"""What the page's tests compare its folding with: runs of a few programs, and how the server's pictures fold them.

``python -m scripts.generate.folding [--check] FILE``
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from gradflow.engine.picture import folding
from gradflow.engine.picture.groups import Group, groups_of
from gradflow.engine.picture.turns import in_turn
from gradflow.engine.run import run
from scripts.generate import fixture

STRAIGHT: Final = "".join(f"y{k + 1} = y{k} * w + {k}\n" + "\n# next\n" * (k == 11) for k in range(40))
PROGRAMS: Final = {
    "straight": f"import torch\nw = torch.tensor(0.5, requires_grad=True)\ny0 = w.exp()\n{STRAIGHT}y40.backward()\n",
    "layers": """import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.norm = nn.LayerNorm(2)
    def forward(self, x):
        return x + self.norm(self.lin(x)).tanh() * 2
model = nn.Sequential(*[Block() for _ in range(5)], nn.Flatten(), nn.Linear(2, 1))
opt = torch.optim.SGD(model.parameters(), 0.1)
def step(x):
    opt.zero_grad()
    loss = (model(x) ** 2).mean()
    loss.backward()
    opt.step()
    return loss
for epoch in range(3):
    print(step(torch.ones(4, 2)))
""",
    "script": """import torch
from torch import nn
def score(net, x):
    return net(x).tanh().sum() / 4
def train(net, x):
    opt = torch.optim.SGD(net.parameters(), 0.1)
    for epoch in range(3):
        opt.zero_grad()
        loss = score(net, x) ** 2
        loss.backward()
        opt.step()
    return loss
def main():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    x = torch.ones(4, 2)
    train(net, x)
    y = score(net, x)
    for _ in range(30):
        y = y.exp().log()
    print(y)
main()
""",
    "chain": """import torch
w = torch.tensor([[0.5, 1.], [1., 0.5]], requires_grad=True)
h = torch.zeros(2)
for t in range(6):
    h = (w @ h + t).tanh()
out = h.sum()
out.backward()
""",
    "calls": """import torch
def attend(q, k, v):
    s = q @ k.T / 2
    p = s.softmax(-1)
    return p @ v
x = torch.eye(3, requires_grad=True)
heads = [attend(x * i, x + i, x) for i in range(4)]
y = torch.cat(heads)
y[0] = 1.
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
g.pow(2).sum().backward()
""",
}
TENSOR: Final = ("id", "names", "shape", "requires_grad", "is_leaf", "view_of", "grad", "node", "pass_id", "place")
NODE: Final = ("id", "kind", "op", "inputs", "outputs", "span", "scope", "pass_id", "place")


def recorded() -> Iterator[dict[str, object]]:
    """The runs as far as pictures fold by them, each with what is drawn in its last turn."""
    for name, source in PROGRAMS.items():
        trace = run(source)
        assert trace.error is None, trace.error
        alive = in_turn(trace)
        tensors, nodes = ([each for each in some if each.id in alive.ids] for some in (trace.tensors, trace.nodes))
        groups = groups_of(trace, nodes, tensors, alive.stacked)
        yield {
            "name": name,
            "trace": _pruned(orjson.loads(orjson.dumps(trace, default=vars))),
            "drawn": [each.id for each in (*tensors, *nodes)],
            "groups": list(_outline(groups)),
            "sizes": [len(each) for each in folding.tried(trace, alive)],
        }


def _pruned(trace: dict[str, Any]) -> dict[str, object]:
    """A trace without its numbers."""
    roots = [[{"tensor": root["tensor"]} for root in one["roots"]] for one in trace["passes"]]
    return {
        "source": trace["source"],
        "error": None,
        "shown": trace["shown"],
        "places": trace["places"],
        "edges": [],
        "events": [{"kind": each["kind"], "place": each["place"]} for each in trace["events"]],
        "tensors": [{k: t[k] for k in TENSOR} | {"grad": t["grad"] and {}} for t in trace["tensors"]],
        "nodes": [{k: n[k] for k in NODE} for n in trace["nodes"]],
        "passes": [
            {"kind": one["kind"], "roots": found, "steps": [], "accumulations": [], "gradients": {}}
            for one, found in zip(trace["passes"], roots, strict=True)
        ],
    }


def _outline(groups: Sequence[Group]) -> Iterator[str]:
    for each in groups:
        turn = " (one of several)" if each.stacked else ""
        yield f"{'  ' * each.depth}{each.kind} {each.title}{turn}: {' '.join(node.id for node in each.nodes)}"
        yield from _outline(each.children)


if __name__ == "__main__":
    fixture.write(recorded())
