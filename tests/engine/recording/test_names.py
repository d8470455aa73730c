"""What tensors are called that no variable holds by itself."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run


@pytest.mark.parametrize(
    ("source", "leaves"),
    [
        (
            "params = {'W1': torch.ones(2, 2), 'b1': torch.zeros(2)}\nfor p in params.values():\n    p.requires_grad_()\n"
            "(torch.ones(2) @ params['W1'] + params['b1']).sum().backward()",
            [("params['W1']", r"\mathit{W1}"), ("params['b1']", r"\mathit{b1}")],
        ),
        (
            "ws = [torch.ones(2, requires_grad=True) for _ in range(2)]\n(ws[0] * ws[1]).sum().backward()",
            [("ws[0]", r"\mathit{ws[0]}"), ("ws[1]", r"\mathit{ws[1]}")],
        ),
        (
            "net = {'layers': ({'w': torch.ones(2, requires_grad=True)},)}\nnet['layers'][0]['w'].sum().backward()",
            [("net['layers'][0]['w']", "w")],
        ),
        (
            "w = torch.ones(2, requires_grad=True)\nall = [w]\nw.sum().backward()",
            [("w", "w")],
        ),
        (
            "layer = torch.nn.Linear(1, 1, bias=False)\nparams = list(layer.parameters())\nlayer(torch.ones(1)).backward()",
            [("layer.weight", "W")],
        ),
    ],
)
def test_leaves_in_containers_are_called_by_their_place(source: str, leaves: list[tuple[str, str]]) -> None:
    trace = run(f"import torch\n{source}")
    assert trace.error is None
    found = [(tensor.label, tensor.symbol) for tensor in trace.tensors if tensor.is_leaf and tensor.requires_grad]
    assert found == leaves


def test_a_container_of_the_program_s_own_class_is_not_read() -> None:
    source = (
        "class Mine(dict):\n    def items(self):\n        raise ValueError\n"
        "mine = Mine(w=torch.ones(1, requires_grad=True))\nloop = []\nloop.append(loop)\nmine['w'].sum().backward()"
    )
    trace = run(f"import torch\n{source}")
    assert trace.error is None
    assert [tensor.names for tensor in trace.tensors if tensor.is_leaf and tensor.requires_grad] == [[]]


def test_what_a_layer_writes_into_a_buffer_is_called_by_its_path_not_as_the_result_of_the_call() -> None:
    source = "norm = torch.nn.BatchNorm1d(2)\ny = norm(torch.ones(3, 2))\ny.sum().backward()"
    trace = run(f"import torch\n{source}")
    assert trace.error is None
    names = {
        name for tensor in trace.tensors if tensor.shape == [2] and not tensor.requires_grad for name in tensor.names
    }
    assert {"norm.running_mean", "norm.running_var"} <= names
    assert [tensor.shape for tensor in trace.tensors if "y" in tensor.names] == [[3, 2]]


NET = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(2, 1), nn.ReLU())
        self.heads = [nn.Linear(1, 1, bias=False)]
    def forward(self, x):
        return self.heads[0](self.enc(x))
x = torch.ones(3, 2)
"""


@pytest.mark.parametrize(
    ("source", "leaves"),
    [
        pytest.param(
            "def main():\n    model = Net()\n    model(x).sum().backward()\nmain()",
            ["model.enc.0.weight", "model.enc.0.bias", "model.heads[0].weight"],
            id="local",
        ),
        pytest.param(
            "class Trainer:\n    def __init__(self): self.model = Net()\n"
            "    def step(self): self.model(x).sum().backward()\nTrainer().step()",
            ["model.enc.0.weight", "model.enc.0.bias", "model.heads[0].weight"],
            id="attribute",
        ),
        pytest.param(
            "def main(net):\n    net(x).sum().backward()\nmodel = Net()\nmain(model)",
            ["model.enc.0.weight", "model.enc.0.bias", "model.heads[0].weight"],
            id="a variable of the program comes first",
        ),
        pytest.param(
            "def main():\n    x = nn.Linear(2, 1)\n    x(torch.ones(2)).sum().backward()\nmain()",
            ["nn.Linear(2, 1)", "nn.Linear(2, 1)"],
            id="the name is another's",
        ),
        pytest.param(
            "def main():\n    net = nn.Linear(2, 1, bias=False)\n    return net(x).sum()\n"
            "a = main()\nb = main()\n(a + b).backward()",
            ["net.weight", "net.weight"],
            id="two of one name, as other variables of a function",
        ),
        pytest.param(
            "def main():\n    nets = [nn.Linear(2, 1, bias=False)]\n    nets[0](x).sum().backward()\nmain()",
            ["nn.Linear(2, 1, bias=False)"],
            id="no name",
        ),
        pytest.param(
            "def main():\n    def score(net): return net(x).sum()\n"
            "    coarse, fine = nn.Linear(2, 1, bias=False), nn.Linear(2, 1, bias=False).train().eval()\n"
            "    (score(coarse) + score(fine)).backward()\nmain()",
            ["coarse.weight", "fine.weight"],
            id="as the function calls them that made them",
        ),
        pytest.param(
            "class Own(nn.Module):\n    def __init__(self, layers):\n        super().__init__()\n"
            "        self.layers = nn.ModuleList(layers)\n    def score(self, x):\n        for f in self.layers: x = f(x)\n"
            "        return x.sum()\n"
            "def make(): return Own([nn.Linear(2, 1, bias=False)])\n"
            "def main():\n    own = make()\n    own.score(x).backward()\nmain()",
            ["own.layers.0.weight"],
            id="whose forward is never called, made by a function that returns it",
        ),
        pytest.param(
            "import copy\ndef main():\n    net = nn.Linear(2, 1, bias=False)\n    target = copy.deepcopy(net)\n"
            "    (net(x) - target(x)).sum().backward()\nmain()",
            ["net.weight", "target.weight"],
            id="a copy",
        ),
        pytest.param(
            "for width in (2, 3):\n    model = nn.Linear(2, width, bias=False)\n    model(x).sum().backward()",
            ["model.weight", "model.weight"],
            id="made anew by a loop",
        ),
        pytest.param(
            "nets = [nn.Linear(2, 1, bias=False) for _ in range(2)]\nfor net in nets: net(x).sum().backward()",
            ["nets[0].weight", "nets[1].weight"],
            id="in a list that a loop goes through",
        ),
    ],
)
def test_parameters_of_models_that_only_functions_hold(source: str, leaves: list[str]) -> None:
    trace = run(NET + source)
    assert trace.error is None
    assert [t.label for t in trace.tensors if t.is_leaf and t.requires_grad] == leaves


def test_a_module_in_a_list_is_titled_by_its_place() -> None:
    trace = run(NET + "net = Net()\nnet(x).sum().backward()")
    titles = [place.title for place in trace.places if place.kind == "module"]
    assert titles == ["net · Net", "enc · Sequential", "0 · Linear", "1 · ReLU", "heads[0] · Linear"]


@pytest.mark.parametrize(
    ("source", "labels"),
    [
        ("for a, b in zip(X, Y):\n    (a * w + b).sum().backward()", ["a"] * 3 + ["b"] * 3),
        ("for i, a in enumerate(X):\n    a = a.reshape(1, 2)\n    (a * w).sum().backward()", ["a", "a"] * 3),
        ("def total(rows):\n    return sum((row * w).sum() for row in rows)\ntotal(X).backward()", ["row"] * 3),
        ("for p in [w]:\n    (p * 2).sum().backward()", []),
    ],
)
def test_what_a_loop_goes_through_has_the_name_that_it_has_there_in_every_turn(source: str, labels: list[str]) -> None:
    head = "import torch\nX, Y = torch.ones(3, 2), torch.ones(3, 2)\nw = torch.ones(2, requires_grad=True)\n"
    trace = run(head + source)
    assert trace.error is None
    data = [t.label for t in trace.tensors if t.id in trace.shown and not t.requires_grad and t.label not in ("X", "Y")]
    assert [label for label in data if not label.endswith(".grad")] == labels
    assert {t.names[0] for t in trace.tensors if t.is_leaf and t.requires_grad} == {"w"}


def test_a_leaf_that_asks_for_its_gradient_behind_its_value_has_the_name_it_is_given() -> None:
    source = """import torch
for k in range(2):
    c = torch.ones(2).clone().requires_grad_()
    (c * k).sum().backward()
c = None
"""
    trace = run(source)
    assert trace.error is None
    assert [t.label for t in trace.tensors if t.is_leaf and t.requires_grad] == ["c", "c"]


@pytest.mark.parametrize(
    ("source", "leaves"),
    [
        ("g = grad(lambda q: (q**2).sum())(x)", ["q"]),
        ("g = grad(lambda q, r: (q * r).sum(), argnums=(0, 1))(x, x)", ["q", "r"]),
        ("def f(p, y):\n    return (p['w'] * y).sum()\ng = grad(f)({'w': x}, x)", ["p['w']"]),
        ("out, back = vjp(lambda z: z * 2, x)\nback(x)", ["z"]),
        ("H = hessian(lambda z: (z**3).sum())(x)", ["z"]),
        ("def loss(x):\n    return (x**2).sum()\ng = grad(loss)(x)", ["loss.x"]),
        ("def per(w, row):\n    return (w * row).sum()\nvmap(grad(per), (None, 0))(x, torch.ones(3, 2))", ["w"] * 3),
    ],
)
def test_what_a_function_is_differentiated_for_has_its_name_there(source: str, leaves: list[str]) -> None:
    head = "import torch\nfrom torch.func import grad, vjp, hessian, vmap\nx = torch.ones(2)\n"
    trace = run(head + source)
    assert trace.error is None
    assert [t.label for t in trace.tensors if t.is_leaf and t.requires_grad] == leaves


@pytest.mark.parametrize(
    "method",
    [
        "def __eq__(self, other): return True",
        "def __eq__(self, other): raise ValueError",
        "def __hash__(self): raise ValueError",
        "def __hash__(self): return 0\n    def __eq__(self, other): return True",
    ],
)
def test_modules_are_told_apart_however_they_compare(method: str) -> None:
    trace = run(f"""import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
    def forward(self, x):
        return self.inner(x).relu()
    {method}
first, second = Block(), Block()
second(first(torch.ones(1, 2))).sum().backward()
""")
    assert trace.error is None
    assert [node.scope for node in trace.nodes if node.op == "relu"] == [["first"], ["second"]]
