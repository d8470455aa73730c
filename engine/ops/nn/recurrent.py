"""What recurrent layers need besides affine maps: packed sequences, and one node for a whole layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine.ops.formula_helpers import composed
from gradflow.engine.registry import REGISTRY, Array, op

ROWS = [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]


Find = Callable[[str], Callable[..., Any]]


class _Steps:
    """The way of an LSTM through (T, B, *), written for arrays and for Tensors; all that its backward needs is kept."""

    def __init__(self, find: Find, operands: tuple[Any, ...], reverse: bool) -> None:
        self.find, self.operands = find, operands
        x, w_ih, self.w_hh, b_ih, self.b_hh, h, c = operands
        self.length, self.batch = x.shape[:2]
        self.times = range(self.length)[:: -1 if reverse else 1]
        self.product = find("mm")
        given = (self.product(x.reshape(self.length * self.batch, -1), w_ih.mT) + b_ih).reshape(
            self.length, self.batch, -1
        )
        self.states = [(h, c)]
        self.gates: list[tuple[Any, ...]] = []
        for time in self.times:
            self.step(given[time])

    def step(self, given: Any) -> None:
        """Input, forget, cell and output gate, and the hyperbolic tangent of the cell; then the next state."""
        h, c = self.states[-1]
        sigmoid, tanh = self.find("sigmoid"), self.find("tanh")
        parts = self.parts((self.product(h, self.w_hh.mT) + self.b_hh) + given)
        i, f, g, o = sigmoid(parts[0]), sigmoid(parts[1]), tanh(parts[2]), sigmoid(parts[3])
        c = f * c + i * g
        curve = tanh(c)
        self.gates.append((i, f, g, o, curve))
        self.states.append((o * curve, c))

    def parts(self, gates: Any) -> list[Any]:
        size = gates.shape[1] // 4
        return [gates[:, k * size : (k + 1) * size] for k in range(4)]

    def in_time(self, values: list[Any]) -> Any:
        """What was made step by step, in the order of time."""
        return self.find("stack")(values[:: self.times.step], 0)

    def step_backward(self, number: int, dh: Any, dc: Any) -> tuple[Any, Any]:
        """From gradients of a state to that of the gates before, and of the cell before."""
        (i, f, g, o, curve), c = self.gates[number], self.states[number][1]
        sigmoid, tanh = self.find("sigmoid_backward"), self.find("tanh_backward")
        dc = dc + tanh(dh * o, curve)
        parts = [sigmoid(dc * g, i), sigmoid(dc * c, f), tanh(dc * i, g), sigmoid(dh * curve, o)]
        return self.find("cat")(parts, 1), dc * f

    def backward(self, g: Any, dh: Any, dc: Any) -> tuple[Any, ...]:
        """The gradients of the operands from those of all outputs, of the last state and of the last cell."""
        x, w_ih = self.operands[:2]
        gates, weight, bias = [], None, None
        for number in reversed(range(self.length)):
            dh = g[self.times[number]] + dh
            own, dc = self.step_backward(number, dh, dc)
            dh, h = self.product(own, self.w_hh), self.states[number][0]
            share = self.product(own.mT, h)
            weight = share if weight is None else weight + share
            bias = own.sum(0) if bias is None else bias + own.sum(0)
            gates.append(own)
        rows = self.in_time(gates[::-1]).reshape(self.length * self.batch, -1)
        return (
            self.product(rows, w_ih).reshape(*x.shape),
            self.product(rows.mT, x.reshape(self.length * self.batch, -1)),
            weight,
            rows.sum(0),
            bias,
            dh,
            dc,
        )


@composed(r"\operatorname{lstm}'\left(⟨0⟩, ⟨3⟩\right)")
def lstm_gradients(find: Find, g: Any, g_hy: Any, g_cy: Any, *given: Any) -> tuple[Any, ...]:
    """The gradients of input, weights, biases, state and cell of `lstm_layer`."""
    return _Steps(find, given[:-1], given[-1]).backward(g, g_hy, g_cy)


_OPERANDS = ("input", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "hx", "cx")
_SAMPLE = (
    [[[0.5, -1.0]], [[0.25, 0.75]]], [[0.5, -0.25], [0.1, 0.3], [-0.6, 0.2], [0.4, 0.7]], [[0.3], [-0.2], [0.6], [0.1]],
    [0.1, 0.2, -0.1, 0.3], [0.05, -0.15, 0.2, 0.1], [[0.4]], [[-0.3]],
)  # fmt: skip


@op(
    gradients={
        name: f"lstm_gradients(g, g_hy, g_cy, {', '.join(_OPERANDS)}, reverse)[{place}]"
        for place, name in enumerate(_OPERANDS)
    },
    grad_fn="MkldnnRnnLayerBackward0",
    outputs=("result", "hy", "cy"),
    latex=r"\operatorname{lstm}\left(⟨0⟩\right)",
    symbol="lstm",
    functions=(),
    methods=(),
    torch=None,
    samples=((*_SAMPLE, False), (*_SAMPLE, True)),
)
def lstm_layer(
    input: Array,
    weight_ih: Array,
    weight_hh: Array,
    bias_ih: Array,
    bias_hh: Array,
    hx: Array,
    cx: Array,
    reverse,
):
    """A layer of an LSTM in one piece, over (T, B, *): its output at every time, its last state and its last cell."""
    operands = (input, weight_ih, weight_hh, bias_ih, bias_hh, hx, cx)
    steps = _Steps(lambda name: REGISTRY[name].body, operands, reverse)
    return steps.in_time([h for h, _ in steps.states[1:]]), *steps.states[-1]


@op(
    gradients={"input": "spread_rows(g, rows, input.shape)"},
    grad_fn="PackPaddedSequenceBackward0",
    latex=r"\operatorname{pack}\left(⟨0⟩\right)",
    symbol="pack",
    functions=(),
    methods=(),
    torch=None,
    keeps=("rows",),
    samples=((ROWS, (0, 2)),),
)
def pack_rows(input: Array, rows: Any):
    """The places of the sequences that are no padding, time by time: (T, B, *) or (B, T, *) -> (sum of lengths, *)."""
    return input.reshape(-1, *input.shape[2:])[np.asarray(rows, np.int64)]


@op(
    gradients={"input": "pack_rows(g, rows)"},
    latex=r"\operatorname{unpack}\left(⟨0⟩\right)",
    symbol="unpack",
    functions=(),
    methods=(),
    torch=None,
    samples=(([[1.0, 2.0], [3.0, 4.0]], (0, 2), (3, 1, 2)),),
)
def spread_rows(input: Array, rows: Any, shape: Any):
    """The adjoint of `pack_rows`: the rows in their places, and 0 elsewhere."""
    out = np.zeros(shape, input.dtype)
    out.reshape(-1, *shape[2:])[np.asarray(rows, np.int64)] = input
    return out
