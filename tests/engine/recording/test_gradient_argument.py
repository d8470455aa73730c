"""The span of the gradient in each of the calls that begin a pass, and none where the call does not say it."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

HEAD = """import torch
import torch.autograd as ag
from torch.autograd import grad, backward as start
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([3., 4.])
y = x * 2
"""


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        ("y.backward(w * 2)", "w * 2"),
        ("y.backward(retain_graph=True, gradient=torch.ones_like(y))", "torch.ones_like(y)"),
        ("y.backward(*(w,))", None),
        ("y.backward(**{'gradient': w})", None),
        ("y.sum().backward()", None),
        ("y.sum().backward(None, True)", "None"),
        ("torch.Tensor.backward(y, w)", "w"),
        ("torch.autograd.backward(y, w)", "w"),
        ("torch.autograd.backward([y], [w])", "w"),
        ("ag.backward([y, y.sum()], grad_tensors=(w * 2, None))", "w * 2"),
        ("ag.backward(y, *[w])", None),
        ("start([y], w)", "w"),
        ("torch.autograd.grad(y, x, w)", "w"),
        ("grad(y, [x], grad_outputs=[w + 1])", "w + 1"),
        ("grad(y.sum(), x)", None),
    ],
)
def test_the_argument_of_a_call(call: str, argument: str | None) -> None:
    trace = run(HEAD + call)
    assert trace.error is None
    span = trace.passes[0].gradient_span
    assert (span and trace.source.splitlines()[span.line - 1][span.column : span.end_column]) == argument


def test_a_method_of_the_programs_own_named_backward() -> None:
    source = HEAD + "class Step:\n    def backward(self, loss, g):\n        loss.backward(g)\nStep().backward(y, w)"
    span = run(source).passes[0].gradient_span
    assert span is not None
    assert source.splitlines()[span.line - 1][span.column : span.end_column] == "g"


def test_the_line_is_that_of_the_argument() -> None:
    span = run(HEAD + "y.backward(\n    retain_graph=True,\n    gradient=w,\n)").passes[0].gradient_span
    assert span is not None
    assert (span.line, span.column) == (9, 13)
