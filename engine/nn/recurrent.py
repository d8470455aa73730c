"""Recurrent layers.

Sources: J. Elman (1990); S. Hochreiter and J. Schmidhuber (1997); K. Cho et al. (2014).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.namespace import composite, functional
from engine.namespace import functional_layers as F
from engine.namespace.functional_activation import call
from engine.nn import init
from engine.nn.module import Module
from engine.nn.parameter import empty
from engine.tensor import Tensor

State = tuple[Tensor, ...]
Weights = tuple[Any, Any, Any, Any]


def _both(x: Tensor, h: Tensor, w: Weights) -> Tensor:
    result: Tensor = call("add", F.linear(x, w[0], w[2]), F.linear(h, w[1], w[3]))
    return result


def _tanh(x: Tensor, state: State, w: Weights) -> State:
    return (call("tanh", _both(x, state[0], w)),)


def _relu(x: Tensor, state: State, w: Weights) -> State:
    return (call("relu", _both(x, state[0], w)),)


def _lstm(x: Tensor, state: State, w: Weights) -> State:
    i, f, g, o = composite.chunk(_both(x, state[0], w), 4, 1)
    kept = call("mul", call("sigmoid", f), state[1])
    cell = call("add", kept, call("mul", call("sigmoid", i), call("tanh", g)))
    return call("mul", call("sigmoid", o), call("tanh", cell)), cell


def _gru(x: Tensor, state: State, w: Weights) -> State:
    xr, xz, xn = composite.chunk(F.linear(x, w[0], w[2]), 3, 1)
    hr, hz, hn = composite.chunk(F.linear(state[0], w[1], w[3]), 3, 1)
    reset, update = (call("sigmoid", call("add", a, b)) for a, b in ((xr, hr), (xz, hz)))
    new = call("tanh", call("add", xn, call("mul", hn, reset)))
    return (call("add", call("mul", call("sub", state[0], new), update), new),)


_STEPS: dict[str, tuple[int, Callable[[Tensor, State, Weights], State]]] = {
    "tanh": (1, _tanh), "relu": (1, _relu), "LSTM": (4, _lstm), "GRU": (3, _gru),
}  # fmt: skip


class _Base(Module):
    """What layers and cells have: initial values, and how to take one step."""

    kind: str

    def _weights(self, suffix: str, inputs: int, hidden: int, bias: bool, dtype: Any) -> None:
        rows = _STEPS[self.kind][0] * hidden
        setattr(self, f"weight_ih{suffix}", empty(rows, inputs, dtype=dtype))
        setattr(self, f"weight_hh{suffix}", empty(rows, hidden, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            if bias:
                setattr(self, f"{name}{suffix}", empty(rows, dtype=dtype))

    def _of(self, suffix: str) -> Weights:
        table = self._parameters
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        return tuple(table.get(f"{n}{suffix}") for n in names)  # type: ignore[return-value]  # four of them

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    def _start(self, given: Any, shape: tuple[int, ...], like: Tensor) -> State:
        if given is not None:
            return given if isinstance(given, tuple) else (given,)
        zero = call("tensor", np.zeros(shape, like._a.dtype))
        return (zero, zero) if self.kind == "LSTM" else (zero,)


class _Layers(_Base):
    """Layers that go through a whole sequence."""

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False,
        dropout: float = 0.0, bidirectional: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        Module.__init__(self)
        self.input_size, self.hidden_size, self.num_layers, self.bias = input_size, hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional = batch_first, dropout, bidirectional
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else hidden_size * (1 + bidirectional)
            for suffix in self._suffixes(layer):
                self._weights(suffix, inputs, hidden_size, bias, dtype)
        self.reset_parameters()

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: 1 + self.bidirectional]

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Any]:
        """The outputs of the last layer, and the last state of every layer."""
        single = input._a.ndim == 2
        x: Any = call("unsqueeze", input, 1) if single else input
        x = call("transpose", x, 0, 1) if self.batch_first and not single else x
        count = self.num_layers * (1 + self.bidirectional)
        start = self._start(hx, (count, x._a.shape[1], self.hidden_size), x)
        if single and hx is not None:
            start = tuple(call("unsqueeze", s, 1) for s in start)
        ends: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for suffix in self._suffixes(layer):
                first = tuple(call("select", s, 0, len(ends)) for s in start)
                output, end = self._through(x, first, self._of(suffix), suffix.endswith("reverse"))
                outputs.append(output)
                ends.append(end)
            x = call("cat", outputs, 2) if len(outputs) > 1 else outputs[0]
            if self.dropout and layer < self.num_layers - 1:
                x = functional.functions()["dropout"](x, self.dropout, self.training)
        states = [call("stack", list(each), 0) for each in zip(*ends, strict=True)]
        if single:
            x, states = call("squeeze_dim", x, 1), [call("squeeze_dim", s, 1) for s in states]
        x = call("transpose", x, 0, 1) if self.batch_first and not single else x
        return x, tuple(states) if len(states) > 1 else states[0]

    def _through(self, x: Tensor, state: State, weights: Weights, backward: bool) -> tuple[Tensor, State]:
        step = _STEPS[self.kind][1]
        outputs = []
        steps = call("unbind", x, 0)
        for each in reversed(steps) if backward else steps:
            state = step(each, state, weights)
            outputs.append(state[0])
        return call("stack", outputs[::-1] if backward else outputs, 0), state

    def extra_repr(self) -> str:
        """The sizes, and what is not as by default."""
        text = f"{self.input_size}, {self.hidden_size}"
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False}
        return text + "".join(f", {n}={getattr(self, n)}" for n, value in usual.items() if getattr(self, n) != value)


class RNN(_Layers):
    """h = tanh(W x + U h + b)."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        object.__setattr__(self, "kind", nonlinearity)
        super().__init__(input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(_Layers):
    """Long short-term memory."""

    kind = "LSTM"


class GRU(_Layers):
    """Gated recurrent unit."""

    kind = "GRU"


class _Cell(_Base):
    """One step of a recurrent layer."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        Module.__init__(self)
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self._weights("", input_size, hidden_size, bias, dtype)
        self.reset_parameters()

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """The next state."""
        single = input._a.ndim == 1
        x: Any = call("unsqueeze", input, 0) if single else input
        state = self._start(hx, (x._a.shape[0], self.hidden_size), x)
        if single and hx is not None:
            state = tuple(call("unsqueeze", s, 0) for s in state)
        state = _STEPS[self.kind][1](x, state, self._of(""))
        state = tuple(call("squeeze_dim", s, 0) for s in state) if single else state
        return state if len(state) > 1 else state[0]

    def extra_repr(self) -> str:
        """The sizes, and what is not as by default."""
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(_Cell):
    """One step of `RNN`."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        object.__setattr__(self, "kind", nonlinearity)
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity


class LSTMCell(_Cell):
    """One step of `LSTM`."""

    kind = "LSTM"


class GRUCell(_Cell):
    """One step of `GRU`."""

    kind = "GRU"


CLASSES = (RNN, LSTM, GRU, RNNCell, LSTMCell, GRUCell)
