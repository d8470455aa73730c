"""Where gradients end: at leaves of another dtype than before, and where a backward is differentiated only once."""

from __future__ import annotations

from gradflow.engine.run import run

OTHER_DTYPE = """
import torch
layer = torch.nn.Linear(2, 1, bias=False)
before = layer(torch.ones(1, 2)).sum()
layer.double()
layer(torch.ones(1, 2).double()).sum().backward()
before.backward()
print(layer.weight.grad)
p = torch.ones(2, requires_grad=True)
before = (p * 2).sum()
p.data = p.data.double()
(p * 3).sum().backward()
print(p.grad)
"""
ONCE = """
import torch
from torch.autograd.function import once_differentiable
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g
x = torch.tensor([1.0, -2.0], requires_grad=True)
y = (Square.apply(x) ** 2).sum()
g, = torch.autograd.grad(y, x, create_graph=True)
try:
    g.sum().backward()
except RuntimeError as error:
    print(error)
"""


def test_a_leaf_of_another_dtype_has_gradients_of_that_dtype() -> None:
    trace = run(OTHER_DTYPE)
    assert trace.error is None
    assert trace.stdout == "tensor([[2., 2.]], dtype=torch.float64)\ntensor([3., 3.], dtype=torch.float64)\n"


def test_what_is_differentiated_only_once_leads_to_no_leaf() -> None:
    trace = run(ONCE)
    assert trace.error is None
    assert "marked with @once_differentiable" in trace.stdout
    (step,) = trace.passes[1].steps
    edges = {edge.id: edge for edge in trace.edges}
    (reached,) = [t for t in trace.tensors if t.id == edges[step.grad_inputs[0].edge].tensor]
    assert not reached.is_leaf
    assert next(node for node in trace.nodes if node.id == reached.node).grad_fn == "Error"
