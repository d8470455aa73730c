"""Recurrent layers, over padded or packed sequences.

Sources: J. Elman (1990); S. Hochreiter and J. Schmidhuber (1997); K. Cho et al. (2014); H. Sak et al. (2014) for the
projection of the state.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional import layers as F
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.layers.packed_sequence import PackedSequence, checked_parts
from gradflow.engine.namespace.layers.recurrent_cells import STEPS, State, Step, Weights, draw, ready, zeros
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import empty
from gradflow.engine.namespace.tensor_arguments import has, need
from gradflow.engine.sandbox.gate import type_name
from gradflow.engine.state import warn

_NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")
_ONLY_LSTM = "proj_size argument is only supported for LSTM, not RNN or GRU"
_DROPOUT = "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
_ONE_LAYER = (
    "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater"
    " than 1, but got dropout={dropout} and num_layers={layers}"
)
_NO_ONEDNN = "LSTM with projections is not supported with oneDNN. Using default implementation."


class RNNBase(Module):
    """What all recurrent layers have: weights of every layer and direction, and the way through them."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        Module.__init__(self)
        self.mode, self.input_size, self.hidden_size, self.num_layers = mode, input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.bidirectional = bias, batch_first, bidirectional
        self.proj_size = proj_size
        _check_settings(self, dropout)
        self.dropout = float(dropout)
        width = proj_size or hidden_size
        for layer in range(num_layers):
            inputs = input_size if layer == 0 else width * (1 + bidirectional)
            for suffix in _suffixes(self, layer):
                _weights(self, suffix, inputs, width, dtype)
        self.reset_parameters()

    @property
    def all_weights(self) -> list[list[Any]]:
        """The weights of each layer and direction."""
        suffixes = [suffix for layer in range(self.num_layers) for suffix in _suffixes(self, layer)]
        return [[w for w in _of(self, suffix) if w is not None] for suffix in suffixes]

    def flatten_parameters(self) -> None:
        """Nothing: only graphics processors need the weights in one piece."""

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        draw(self, self.hidden_size)

    def extra_repr(self) -> str:
        """The sizes, and what is not as by default."""
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        text = f"{self.input_size}, {self.hidden_size}"
        return text + "".join(f", {n}={getattr(self, n)}" for n, value in usual.items() if getattr(self, n) != value)


def _forward(rnn: RNNBase, input: Any, hx: Any) -> Any:
    """The outputs of the last layer, and the last state of every layer."""
    if isinstance(input, PackedSequence):
        return _packed(rnn, input, hx)
    kind, ndim = type(rnn).__name__, has(input, "dim").dim()
    if ndim not in (2, 3):
        more = " tensor" if rnn.mode.startswith("RNN") else ""
        raise errors.MODULE_ARGUMENT(message=f"{kind}: Expected input to be 2D or 3D, got {ndim}D{more} instead")
    single, batch = ndim == 2, 0 if rnn.batch_first else 1
    x = input.unsqueeze(batch) if single else input
    state = _start(rnn, hx, x, x.size(batch), single)
    _check(rnn, x, state, x.size(batch), 3)
    x = x.transpose(0, 1) if rnn.batch_first else x
    output, state = _layers(rnn, x, state, None)
    if rnn.batch_first:
        output = turned_back(output, rnn.mode)
    if single:
        output, state = output.squeeze(batch), tuple(each.squeeze(1) for each in state)
    return output, state if len(state) > 1 else state[0]


def _weights(rnn: RNNBase, suffix: str, inputs: int, width: int, dtype: Any) -> None:
    rows = STEPS[rnn.mode][0] * rnn.hidden_size
    shapes = ((rows, inputs), (rows, width), (rows,), (rows,), (width, rnn.hidden_size))
    wanted = (True, True, rnn.bias, rnn.bias, rnn.proj_size > 0)
    for name, shape, there in zip(_NAMES, shapes, wanted, strict=True):
        if there:
            setattr(rnn, f"{name}{suffix}", empty(*shape, dtype=dtype))


def _suffixes(rnn: RNNBase, layer: int) -> list[str]:
    return [f"_l{layer}", f"_l{layer}_reverse"][: 1 + rnn.bidirectional]


def _of(rnn: RNNBase, suffix: str) -> Weights:
    return tuple(getattr(rnn, f"{n}{suffix}", None) for n in _NAMES)  # type: ignore[return-value]  # five of them


def _packed(rnn: RNNBase, input: PackedSequence, hx: Any) -> Any:
    _, _, order, _ = input
    data, sizes, back = checked_parts(input)
    if order is not None:
        need(order, "index_select", "index", 3)
    count = int(sizes._a[0])
    state = _start(rnn, hx, data, count, None)
    if hx is not None and order is not None:
        state = tuple(each.index_select(1, order) for each in state)
    _check(rnn, data, state, count, 2)
    output, state = _layers(rnn, data, state, sizes._a.tolist())
    if back is not None:
        state = tuple(each.index_select(1, back) for each in state)
    return PackedSequence(output, sizes, order, back), state if len(state) > 1 else state[0]


# -- what is given ------------------------------------------------------------------------------------------------


def _shapes(rnn: RNNBase, batch: int) -> list[tuple[int, int, int]]:
    count = rnn.num_layers * (1 + rnn.bidirectional)
    widths = [rnn.proj_size or rnn.hidden_size, rnn.hidden_size][: 1 + (rnn.mode == "LSTM")]
    return [(count, batch, width) for width in widths]


def _start(rnn: RNNBase, hx: Any, x: Any, batch: int, single: bool | None) -> State:
    if hx is None:
        return tuple(zeros(shape, x) for shape in _shapes(rnn, batch))
    state: State = (hx[0], hx[1]) if rnn.mode == "LSTM" else (hx,)
    for each in state:
        has(each, "dim")
    if single is None:
        return state
    if any(each.dim() != (2 if single else 3) for each in state):
        raise errors.MODULE_RUNTIME(message=_wrong_state(rnn, state, single))
    return tuple(each.unsqueeze(1) for each in state) if single else state


def _wrong_state(rnn: RNNBase, state: State, single: bool) -> str:
    rows, ndim = ("unbatched 2-D", 2) if single else ("batched 3-D", 3)
    if rnn.mode == "LSTM":
        dims = ", ".join(f"{each.dim()}-D" for each in state)
        return f"For {rows} input, hx and cx should also be {ndim}-D but got ({dims}) tensors"
    return f"For {rows} input, hx should also be {ndim}-D but got {state[0].dim()}-D tensor"


def _check(rnn: RNNBase, x: Any, state: State, batch: int, ndim: int) -> None:
    weight = _of(rnn, "_l0")[0]
    unchecked = rnn.mode == "LSTM" and ndim == 2  # PyTorch looks at packed rows for the others alone
    if x.dtype is not weight.dtype and not unchecked:
        raise errors.MODULE_ARGUMENT(
            message=f"RNN input dtype ({x.dtype}) does not match weight dtype ({weight.dtype}). Convert input:"
            f" input.to({weight.dtype}), or convert model: model.to({x.dtype})"
        )
    if x.dim() != ndim:
        raise errors.MODULE_RUNTIME(message=f"input must have {ndim} dimensions, got {x.dim()}")
    if x.size(-1) != rnn.input_size:
        raise errors.MODULE_RUNTIME(
            message=f"input.size(-1) must be equal to input_size. Expected {rnn.input_size}, got {x.size(-1)}"
        )
    for index, (each, shape) in enumerate(zip(state, _shapes(rnn, batch), strict=True)):
        if each._a.shape != shape:
            which = f"hidden[{index}]" if rnn.mode == "LSTM" else "hidden"
            raise errors.MODULE_RUNTIME(message=f"Expected {which} size {shape}, got {list(each._a.shape)}")


# -- the way through ----------------------------------------------------------------------------------------------


def _layers(rnn: RNNBase, x: Any, start: State, sizes: list[int] | None) -> tuple[Any, State]:
    suffixes = [_suffixes(rnn, layer) for layer in range(rnn.num_layers)]
    weights = [[_of(rnn, suffix) for suffix in both] for both in suffixes]
    return over_layers(rnn.mode, x, start, weights, rnn.dropout if rnn.training else 0.0, sizes)


def over_layers(
    mode: str, x: Any, start: State, weights: list[list[Weights]], dropout: float, sizes: list[int] | None = None
) -> tuple[Any, State]:
    """Through (T, B, *) or packed sequences, layer by layer; of each layer the weights of one direction or of both.

    PyTorch computes a layer of an LSTM in float32 in one piece.
    """
    ends: list[State] = []
    through = _over_times if sizes is None else _over_packed(sizes)
    projected, single = weights[0][0][4] is not None, x._a.dtype == np.float32
    whole = sizes is None and mode == "LSTM" and single and x._a.size > 0 and not projected
    if projected and single:
        warn(_NO_ONEDNN, once=True)
    if whole and not x._a.flags.c_contiguous:
        x = call("contiguous_copy", x)
    firsts = None if whole else list(zip(*(call("unbind", s, 0) for s in start), strict=True))
    for layer, directions in enumerate(weights):
        outputs = []
        for backward, own in enumerate(directions):
            first = tuple(call("select", s, 0, len(ends)) for s in start) if firsts is None else firsts[len(ends)]
            if whole:
                output, end = _in_one_piece(x, first, own, bool(backward))
            else:
                output, end = through(STEPS[mode][1], x, first, own, bool(backward))
            outputs.append(output)
            ends.append(end)
        x = call("cat", outputs, -1) if len(outputs) > 1 else outputs[0]
        if dropout and layer < len(weights) - 1:
            x = torch_nn_functional.functions()["dropout"](x, dropout, True)
    if whole:
        return x, tuple(call("stack", list(each), 0) for each in zip(*ends, strict=True))
    return x, _joined(ends, "stack")


def _in_one_piece(x: Any, state: State, weights: Weights, backward: bool) -> tuple[Any, State]:
    biases = [zeros((weights[0].size(0),), x) if b is None else b for b in weights[2:4]]
    output, *end = call("lstm_layer", x, *weights[:2], *biases, *state, backward)
    return output, tuple(end)


def turned_back(output: Any, mode: str) -> Any:
    """(B, T, *) from (T, B, *), as PyTorch turns it."""
    return output.transpose(0, 1) if mode == "LSTM" else output.transpose_(0, 1)


def _over_times(step: Step, x: Any, state: State, weights: Weights, backward: bool) -> tuple[Any, State]:
    """Through (T, B, *), from the end where ``backward``."""
    outputs = []
    times = call("unbind", F.linear(x, weights[0], weights[2]), 0)
    for each in reversed(times) if backward else times:
        state = step(ready(each), state, weights)
        outputs.append(state[0])
    return call("stack", outputs[::-1] if backward else outputs, 0), state


def _part(state: State, start: int, count: int) -> State:
    """Rows of a state: of the cell first, as PyTorch takes them."""
    return tuple(each.narrow(0, start, count) for each in reversed(state))[::-1]


def _joined(states: list[State], function: str = "cat") -> State:
    """Several states in one: of the cell first here too."""
    return tuple(call(function, list(each), 0) for each in [*zip(*states, strict=True)][::-1])[::-1]


def _over_packed(sizes: list[int]) -> Callable[[Step, Any, State, Weights, bool], tuple[Any, State]]:
    """Through packed sequences: at each time only those that are long enough."""
    starts = [0, *np.cumsum(sizes).tolist()]

    def through(step: Step, x: Any, first: State, weights: Weights, backward: bool) -> tuple[Any, State]:
        given: Any = F.linear(x, weights[0], weights[2])
        outputs: list[Any] = []
        ended: list[State] = []
        state = tuple(each.narrow(0, 0, sizes[-1]) for each in first) if backward else first
        for time in range(len(sizes))[:: -1 if backward else 1]:
            now, held = sizes[time], state[0].size(0)
            rows = None if backward else given.narrow(0, starts[time], now)
            if held < now:
                more = tuple(each.narrow(0, held, now - held) for each in first)
                state = _joined([state, more])
            elif held > now:
                ended.append(_part(state, now, held - now))
                state = _part(state, 0, now)
            rows = given.narrow(0, starts[time], now) if rows is None else rows
            state = step(ready(rows), state, weights)
            outputs.append(state[0])
        output = call("cat", outputs[::-1] if backward else outputs, 0)
        if ended:
            state = _joined([state, *reversed(ended)])
        return output, state

    return through


def _check_settings(module: RNNBase, dropout: Any) -> None:
    """Raises TypeError and ValueError for settings that make no sense; warns of a dropout without effect."""
    if not isinstance(dropout, Number) or isinstance(dropout, bool) or not 0 <= dropout <= 1:  # type: ignore[operator]  # a number
        raise errors.MODULE_ARGUMENT(message=_DROPOUT)
    if dropout and module.num_layers == 1:
        warn(_ONE_LAYER.format(dropout=dropout, layers=module.num_layers))
    for name, cls in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
        value = getattr(module, name)
        if not isinstance(value, cls):
            raise errors.MODULE_TYPE(message=f"{name} should be of type {cls.__name__}, got: {type_name(value)}")
        if cls is int and value <= 0:
            raise errors.MODULE_ARGUMENT(message=f"{name} must be greater than zero")
    if module.num_layers <= 0:
        raise errors.MODULE_ARGUMENT(message="num_layers must be greater than zero")
    if module.proj_size < 0:
        raise errors.MODULE_ARGUMENT(message="proj_size should be a positive integer or zero to disable projections")
    if module.proj_size >= module.hidden_size:
        raise errors.MODULE_ARGUMENT(message="proj_size has to be smaller than hidden_size")
    if module.mode not in STEPS:
        raise errors.MODULE_ARGUMENT(message=f"Unrecognized RNN mode: {module.mode}")


class RNN(RNNBase):
    """h = tanh(W x + U h + b)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise errors.MODULE_ARGUMENT(message=_ONLY_LSTM)
        nonlinearity = args[3] if len(args) > 3 else kwargs.pop("nonlinearity", "tanh")
        args = args[:3] + args[4:]
        if nonlinearity not in ("tanh", "relu"):
            raise errors.MODULE_ARGUMENT(
                message=f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The outputs of the last layer, and the last state of every layer."""
        return _forward(self, input, hx)


class LSTM(RNNBase):
    """Long short-term memory."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The outputs of the last layer, and the last state of every layer."""
        return _forward(self, input, hx)


class GRU(RNNBase):
    """Gated recurrent unit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise errors.MODULE_ARGUMENT(message=_ONLY_LSTM)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The outputs of the last layer, and the last state of every layer."""
        return _forward(self, input, hx)


CLASSES = (RNNBase, RNN, LSTM, GRU)
