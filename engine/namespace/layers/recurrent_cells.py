"""One step of a recurrent layer: how the next state follows from the last one, and the modules that take one step.

Sources: J. Elman (1990); S. Hochreiter and J. Schmidhuber (1997); K. Cho et al. (2014).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional import layers as F
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.nn import init
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import empty
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor

State = tuple[Any, ...]
Weights = tuple[Any, Any, Any, Any, Any]
"""Of the input, of the state, the two biases, and the projection of the state; None for those that are missing."""
Given = Callable[[], Any]
"""Gives what the input contributes to a step: computed in a cell when PyTorch does, ready in a layer."""
Step = Callable[[Given, State, Weights], State]


def _parts(x: Any, count: int) -> Any:
    return x.unsafe_chunk(count, 1)


def _recurrent(x: Given, state: State, w: Weights) -> Any:
    """What the state gives, and what the input adds to it."""
    own = F.linear(state[0], w[1], w[3])
    return call("add", own, x())


def _tanh(x: Given, state: State, w: Weights) -> State:
    return (call("tanh", _recurrent(x, state, w)),)


def _relu(x: Given, state: State, w: Weights) -> State:
    return (call("relu", _recurrent(x, state, w)),)


def _lstm(x: Given, state: State, w: Weights) -> State:
    i, f, g, o = _parts(_recurrent(x, state, w), 4)
    i, f, g, o = call("sigmoid", i), call("sigmoid", f), call("tanh", g), call("sigmoid", o)
    cell = call("add", call("mul", f, state[1]), call("mul", i, g))
    hidden = call("mul", o, call("tanh", cell))
    return hidden if w[4] is None else F.linear(hidden, w[4]), cell


def _written_over(value: Any, factor: Any) -> Any:
    """A product that PyTorch writes over the value, of which its function saves a copy."""
    product = call("mul", value, factor)
    node = product._node
    if node is not None:
        own = node.op.slots.index("input")
        node.guards = tuple(None if i == own else guard for i, guard in enumerate(node.guards))
    return product


def _gru(x: Given, state: State, w: Weights) -> State:
    given, own = _parts(x(), 3), _parts(F.linear(state[0], w[1], w[3]), 3)
    reset = call("sigmoid", call("add", own[0], given[0]))
    update = call("sigmoid", call("add", own[1], given[1]))
    new = call("tanh", call("add", given[2], _written_over(own[2], reset)))
    return (call("add", _written_over(call("sub", state[0], new), update), new),)


STEPS: dict[str, tuple[int, Step]] = {
    "RNN_TANH": (1, _tanh), "RNN_RELU": (1, _relu), "LSTM": (4, _lstm), "GRU": (3, _gru),
}  # fmt: skip
"""By mode: how many parts the weights have, and the step."""


def ready(value: Any) -> Given:
    """What has been computed already."""
    return lambda: value


def zeros(shape: tuple[int, ...], like: Tensor) -> Tensor:
    """A first state."""
    return REGISTRY["tensor"].call(np.zeros(shape, like._a.dtype))


def draw(module: Module, hidden_size: int) -> None:
    """New initial values for all parameters."""
    bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0
    for p in module.parameters():
        init.uniform_(p, -bound, bound)


class RNNCellBase(Module):
    """What the modules of one step have."""

    mode: str

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = empty(rows, input_size, dtype=dtype)
        self.weight_hh = empty(rows, hidden_size, dtype=dtype)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, empty(rows, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        draw(self, self.hidden_size)

    def extra_repr(self) -> str:
        """The sizes, and what is not as by default."""
        text = f"{self.input_size}, {self.hidden_size}" + ("" if self.bias is True else f", bias={self.bias}")
        nonlinearity = vars(self).get("nonlinearity", "tanh")
        return text + ("" if nonlinearity == "tanh" else f", nonlinearity={nonlinearity}")


def _forward(cell: RNNCellBase, input: Any, hx: Any) -> Any:
    """The next state."""
    state, single = _given(cell, input, hx), input.dim() == 1
    x = input.unsqueeze(0) if single else input
    if state is None:
        state = (zeros((x.size(0), cell.hidden_size), x),) * (2 if _mode(cell) == "LSTM" else 1)
    elif single:
        state = tuple(each.unsqueeze(0) for each in state)
    _check(cell, x, state)
    weights = (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh, None)
    state = STEPS[_mode(cell)][1](lambda: F.linear(x, weights[0], weights[2]), state, weights)
    state = tuple(each.squeeze(0) for each in state) if single else state
    return state if len(state) > 1 else state[0]


def _given(cell: RNNCellBase, input: Any, hx: Any) -> State | None:
    name, lstm = type(cell).__name__, _mode(cell) == "LSTM"
    if input.dim() not in (1, 2):
        raise errors.MODULE_ARGUMENT(message=f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
    if hx is None:
        return None
    if lstm and isinstance(hx, Tensor):
        raise errors.MODULE_TYPE(message="lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
    state = tuple(hx) if lstm else (hx,)
    for index, each in enumerate(state):
        if each.dim() not in (1, 2):
            what = f"hx[{index}]" if lstm else "hidden"
            raise errors.MODULE_ARGUMENT(message=f"{name}: Expected {what} to be 1D or 2D, got {each.dim()}D instead")
    return state


def _check(cell: RNNCellBase, x: Any, state: State) -> None:
    if x.size(1) != cell.input_size:
        raise errors.MODULE_RUNTIME(
            message=f"input has inconsistent input_size: got {x.size(1)} expected {cell.input_size}"
        )
    for index, each in enumerate(state):
        if x.size(0) != each.size(0):
            raise errors.MODULE_RUNTIME(
                message=f"Input batch size {x.size(0)} doesn't match hidden{index} batch size {each.size(0)}"
            )
        if each.size(1) != cell.hidden_size:
            raise errors.MODULE_RUNTIME(
                message=f"hidden{index} has inconsistent hidden_size: got {each.size(1)}, expected {cell.hidden_size}"
            )


def _mode(cell: RNNCellBase) -> str:
    if not isinstance(cell, RNNCell):
        return cell.mode
    if cell.nonlinearity not in ("tanh", "relu"):
        raise errors.MODULE_RUNTIME(message=f"Unknown nonlinearity: {cell.nonlinearity}")
    return f"RNN_{cell.nonlinearity.upper()}"


class RNNCell(RNNCellBase):
    """One step of `RNN`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next state."""
        return _forward(self, input, hx)


class LSTMCell(RNNCellBase):
    """One step of `LSTM`."""

    mode = "LSTM"

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next state."""
        return _forward(self, input, hx)


class GRUCell(RNNCellBase):
    """One step of `GRU`."""

    mode = "GRU"

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next state."""
        return _forward(self, input, hx)


CLASSES = (RNNCellBase, RNNCell, LSTMCell, GRUCell)
