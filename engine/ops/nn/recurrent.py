"""What recurrent layers need besides affine maps: packed sequences, and one node for a whole layer."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine.registry import Array, op

ROWS = [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]


@op(
    gradients={"output": "g", "hidden": "g_hy", "cell": "g_cy"},
    grad_fn="MkldnnRnnLayerBackward0",
    outputs=("result", "hy", "cy"),
    latex=r"\operatorname{lstm}\left(⟨0⟩, ⟨1⟩, ⟨2⟩\right)",
    symbol="lstm",
    functions=(),
    methods=(),
    torch=None,
    samples=(([[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]),),
)
def rnn_layer(output: Array, hidden: Array, cell: Array):
    """A layer that PyTorch computes in one piece: its output, last state and last cell, each as it is."""
    return output.copy(), hidden.copy(), cell.copy()


@op(
    gradients={"input": "spread_rows(g, rows, input.shape)"},
    grad_fn="PackPaddedSequenceBackward0",
    latex=r"\operatorname{pack}\left(⟨0⟩\right)",
    symbol="pack",
    functions=(),
    methods=(),
    torch=None,
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
