"""``torch.fx``: graphs, code, changes and interpreters, as PyTorch 2.13 prints them."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

PROGRAMS = """
import torch
import torch.nn as nn
import torch.fx

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.param = nn.Parameter(torch.rand(3, 4))
        self.linear = nn.Linear(4, 5)

    def forward(self, x):
        return self.linear(x + self.param).clamp(min=0.0, max=1.0)

m = M()
gm = torch.fx.symbolic_trace(m)
print(gm.graph)
print(gm.code)
for node in gm.graph.nodes:
    print(node.op, node.name, node.target, node.args, node.kwargs)
=====
graph():
    %x : [num_users=1] = placeholder[target=x]
    %param : [num_users=1] = get_attr[target=param]
    %add : [num_users=1] = call_function[target=operator.add](args = (%x, %param), kwargs = {})
    %linear : [num_users=1] = call_module[target=linear](args = (%add,), kwargs = {})
    %clamp : [num_users=1] = call_method[target=clamp](args = (%linear,), kwargs = {min: 0.0, max: 1.0})
    return clamp



def forward(self, x):
    param = self.param
    add = x + param;  x = param = None
    linear = self.linear(add);  add = None
    clamp = linear.clamp(min = 0.0, max = 1.0);  linear = None
    return clamp

placeholder x x () {}
get_attr param param () {}
call_function add <built-in function add> (x, param) {}
call_module linear linear (add,) {}
call_method clamp clamp (linear,) {'min': 0.0, 'max': 1.0}
output output output (clamp,) {}
-----
import torch
import torch.fx as fx
import operator
class Net(torch.nn.Module):
    def forward(self, x, scale=2.0):
        y = x.view(x.shape[0], -1)
        a, b = y.chunk(2, dim=1)
        z = torch.cat([a, b], dim=1)
        return {'out': z * scale, 'mean': z.mean(dim=1)}
gm = fx.symbolic_trace(Net())
print(gm.graph)
print(gm.code)
for n in gm.graph.nodes:
    if n.op == 'call_function' and n.target is operator.mul:
        print('mul', n.args, [u.name for u in n.users])
=====
graph():
    %x : [num_users=2] = placeholder[target=x]
    %scale : [num_users=1] = placeholder[target=scale](default=2.0)
    %getattr_1 : [num_users=1] = call_function[target=builtins.getattr](args = (%x, shape), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%getattr_1, 0), kwargs = {})
    %view : [num_users=1] = call_method[target=view](args = (%x, %getitem, -1), kwargs = {})
    %chunk : [num_users=2] = call_method[target=chunk](args = (%view, 2), kwargs = {dim: 1})
    %getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 0), kwargs = {})
    %getitem_2 : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 1), kwargs = {})
    %cat : [num_users=2] = call_function[target=torch.cat](args = ([%getitem_1, %getitem_2],), kwargs = {dim: 1})
    %mul : [num_users=1] = call_function[target=operator.mul](args = (%cat, %scale), kwargs = {})
    %mean : [num_users=1] = call_method[target=mean](args = (%cat,), kwargs = {dim: 1})
    return {'out': mul, 'mean': mean}



def forward(self, x, scale = 2.0):
    getattr_1 = x.shape
    getitem = getattr_1[0];  getattr_1 = None
    view = x.view(getitem, -1);  x = getitem = None
    chunk = view.chunk(2, dim = 1);  view = None
    getitem_1 = chunk[0]
    getitem_2 = chunk[1];  chunk = None
    cat = torch.cat([getitem_1, getitem_2], dim = 1);  getitem_1 = getitem_2 = None
    mul = cat * scale;  scale = None
    mean = cat.mean(dim = 1);  cat = None
    return {'out': mul, 'mean': mean}

mul (cat, scale) ['output']
-----
import torch, torch.fx
from torch import nn
# replace relu by gelu
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(3, 3); self.act = nn.ReLU(); self.l2 = nn.Linear(3, 1)
    def forward(self, x):
        return self.l2(self.act(self.l1(x)))
torch.manual_seed(0)
gm = torch.fx.symbolic_trace(M())
for n in gm.graph.nodes:
    if n.op == 'call_module' and isinstance(gm.get_submodule(n.target), nn.ReLU):
        with gm.graph.inserting_after(n):
            new = gm.graph.call_function(torch.nn.functional.gelu, n.args)
            n.replace_all_uses_with(new)
        gm.graph.erase_node(n)
gm.recompile()
print(gm.code)
print(gm(torch.ones(1, 3)))
=====



def forward(self, x):
    l1 = self.l1(x);  x = None
    gelu = torch._C._nn.gelu(l1);  l1 = None
    l2 = self.l2(gelu);  gelu = None
    return l2

tensor([[0.0494]], grad_fn=<AddmmBackward0>)
-----
import torch
import torch.nn as nn
from torch.fx import Tracer, Interpreter, symbolic_trace
class ShapeProp(Interpreter):
    def run_node(self, n):
        r = super().run_node(n)
        if isinstance(r, torch.Tensor):
            print(n.op, n.name, tuple(r.shape))
        return r
m = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
ShapeProp(symbolic_trace(m)).run(torch.zeros(1, 1, 4, 4))
=====
placeholder input_1 (1, 1, 4, 4)
call_module _0 (1, 2, 2, 2)
call_module _1 (1, 2, 2, 2)
call_module _2 (1, 8)
call_module _3 (1, 2)
output output (1, 2)
-----
from collections import defaultdict
import torch, torch.nn as nn, torch.nn.functional as F
from torch.fx import symbolic_trace, GraphModule

class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv1 = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(c)
        self.conv2 = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(c)
    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += x
        return F.relu(out)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(Block(4), Block(4))
        self.fc = nn.Linear(4, 2)
    def forward(self, x):
        x = self.layers(x)
        x = F.adaptive_avg_pool2d(x, 1)
        x = torch.flatten(x, 1)
        return self.fc(x)

torch.manual_seed(0)
net = Net().eval()
traced: GraphModule = symbolic_trace(net)
counts = defaultdict(int)
for n in traced.graph.nodes:
    counts[n.op] += 1
print(dict(counts))
print([n.name for n in traced.graph.nodes if n.op == 'call_module'])
x = torch.randn(1, 4, 5, 5)
print(torch.allclose(net(x), traced(x)))
=====
{'placeholder': 1, 'call_module': 9, 'call_function': 8, 'output': 1}
['layers_0_conv1', 'layers_0_bn1', 'layers_0_conv2', 'layers_0_bn2', 'layers_1_conv1', 'layers_1_bn1', 'layers_1_conv2', 'layers_1_bn2', 'fc']
True
"""

CONTROL = "symbolically traced variables cannot be used as inputs to control flow"
COUNTED = "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call torch.fx.wrap('len') at module scope"


@pytest.mark.parametrize("text", PROGRAMS.strip("\n").split("\n-----\n"))
def test_a_graph_is_pytorchs(text: str) -> None:
    program, _, printed = text.partition("\n=====\n")
    trace = run(program)
    assert trace.error is None
    assert [line.rstrip() for line in trace.stdout.rstrip().split("\n")] == [
        line.rstrip() for line in printed.split("\n")
    ]


@pytest.mark.parametrize(
    ("function", "type", "message"),
    [
        ("lambda x: x if x.sum() > 0 else -x", "torch.fx.proxy.TraceError", CONTROL),
        ("lambda x: len(x)", "RuntimeError", COUNTED),
        (
            "lambda x, *y: x",
            "RuntimeError",
            "symbolic_trace() of a function with *args or **kwargs cannot be used in this playground",
        ),
        ("torch.nn.Linear(2, 2)", "RuntimeError", "symbolic_trace() of Linear cannot be used in this playground"),
        ("torch.relu", "RuntimeError", "symbolic_trace() of function cannot be used in this playground"),
    ],
)
def test_what_cannot_be_traced(function: str, type: str, message: str) -> None:
    error = run(f"import torch, torch.fx\ntorch.fx.symbolic_trace({function})").error
    assert error is not None
    assert (error.type, error.message) == (type, message)


def test_a_failed_trace_leaves_no_mode_behind() -> None:
    trace = run(
        "import torch, torch.fx\ntry: torch.fx.symbolic_trace(lambda x: 1 if x else 2)\nexcept Exception as e: print(e)\n"
        "print(torch.ones(2) + 1, torch.nn.Linear(1, 1)(torch.ones(1)).shape)"
    )
    assert trace.stdout == f"{CONTROL}\ntensor([2., 2.]) torch.Size([1])\n"


def test_a_table_of_nodes() -> None:
    trace = run("import torch, torch.fx\ntorch.fx.symbolic_trace(lambda x, y=2: x + y).graph.print_tabular()")
    assert trace.stdout.splitlines() == [
        "opcode         name    target                   args    kwargs",
        "-------------  ------  -----------------------  ------  --------",
        "placeholder    x       x                        ()      {}",
        "placeholder    y       y                        (2,)    {}",
        "call_function  add     <built-in function add>  (x, y)  {}",
        "output         output  output                   (add,)  {}",
    ]


def test_a_node_that_is_read_stays() -> None:
    error = run(
        "import torch, torch.fx\ng = torch.fx.symbolic_trace(lambda x: x.exp() + 1).graph\ng.erase_node(list(g.nodes)[1])"
    ).error
    assert error is not None
    assert error.message == "Tried to erase Node exp but it still had 1 users in the graph: {add: None}!"
