"""Recurrent networks as functions of their weights: one step, and layers over time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.functional import layers as F
from gradflow.engine.namespace.layers.recurrent import over_layers, turned_back
from gradflow.engine.namespace.layers.recurrent_cells import STEPS
from gradflow.engine.tensor import Tensor

_MODES = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN_TANH", "rnn_relu": "RNN_RELU"}


def _refuse(message: str) -> None:
    raise errors.MODULE_RUNTIME(message=message)


def _check(x: Any, state: tuple[Any, ...], w_ih: Any, w_hh: Any, mode: str, parts: int) -> None:
    """Raises RuntimeError for a step whose sizes do not fit, in PyTorch's order of checks."""

    def fits_input() -> None:
        if x.size(1) != w_ih.size(1):
            _refuse(f"input has inconsistent input_size: got {x.size(1)} expected {w_ih.size(1)}")

    def fits_parts() -> None:
        rows = parts * w_hh.size(1)
        for name, weight in (("ih", w_ih), ("hh", w_hh)):
            if weight.size(0) != rows:
                _refuse(f"weight_{name} first dim must be {parts} * hidden_size = {rows}, but got {weight.size(0)}")

    def fits_state() -> None:
        for index, each in enumerate(state):
            if x.size(0) != each.size(0):
                _refuse(f"Input batch size {x.size(0)} doesn't match hidden{index} batch size {each.size(0)}")
            if each.size(1) != w_hh.size(1):
                _refuse(f"hidden{index} has inconsistent hidden_size: got {each.size(1)}, expected {w_hh.size(1)}")

    order = {"LSTM": (fits_input, fits_parts, fits_state), "GRU": (fits_input, fits_state, fits_parts)}
    for check in order.get(mode, (fits_parts, fits_input, fits_state)):
        check()


def _cell(name: str, mode: str) -> Callable[..., Any]:
    def step(input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None) -> Any:
        state = tuple(hx) if mode == "LSTM" else (hx,)
        parts, compute = STEPS[mode]
        _check(input, state, w_ih, w_hh, mode, parts)
        state = compute(lambda: F.linear(input, w_ih, b_ih), state, (w_ih, w_hh, b_ih, b_hh, None))
        return state if len(state) > 1 else state[0]

    step.__name__ = step.__qualname__ = name
    step.__doc__ = f"The next state of a recurrent network: one step of `torch.nn.{mode.split('_')[0]}`."
    return step


def _layers(name: str, mode: str) -> Callable[..., Any]:
    def layers(
        input: Any,
        hx: Any,
        params: Any,
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Any:
        state = tuple(hx) if mode == "LSTM" else (hx,)
        rows = [tuple(params[i : i + 2 + 2 * has_biases]) for i in range(0, len(params), 2 + 2 * has_biases)]
        weights = [(*row, *(None,) * (5 - len(row))) for row in rows]
        both = 1 + bidirectional
        layered = [weights[i : i + both] for i in range(0, num_layers * both, both)]
        x: Any = input.transpose(0, 1) if batch_first else input
        output, state = over_layers(mode, x, state, layered, dropout if train else 0.0)
        return (turned_back(output, mode) if batch_first else output, *state)

    layers.__name__ = layers.__qualname__ = name
    layers.__doc__ = f"The output at every time and the last state of layers of `torch.nn.{mode.split('_')[0]}`."
    return layers


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{name}_cell": _cell(f"{name}_cell", mode) for name, mode in _MODES.items()
}
FUNCTIONS |= {name: _layers(name, mode) for name, mode in _MODES.items()}
"""Under ``torch``."""
