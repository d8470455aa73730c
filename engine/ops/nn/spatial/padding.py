"""Padding: by a constant, by reflection, or with the edge repeated."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics.checked_cast import checked_cast
from gradflow.engine.registry import Array, helper, op

V = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]]
PLANE = [[[0.5, -1.25, 2.0], [1.0, 0.3, -0.7], [1.5, 0.75, -0.5]]]
BLOCK = [[[[0.5, -1.25, 2.0], [1.0, 0.3, -0.7]], [[3.0, -0.2, 0.1], [0.4, 1.1, -0.9]]]]


def pairs(pad: Any, ndim: int) -> list[tuple[int, int]]:
    """How much is added before and after each dimension; ``pad`` names the last dimension first."""
    given = [(int(pad[i]), int(pad[i + 1])) for i in range(0, len(pad), 2)]
    return [(0, 0)] * (ndim - len(given)) + given[::-1]


def _places(size: int, before: int, after: int, mode: str) -> np.ndarray:
    """For each place of the result along one dimension the place it is taken from."""
    wanted = np.arange(-before, size + after)
    if mode == "replicate":
        return np.clip(wanted, 0, size - 1)
    folded = np.abs(wanted)
    return np.where(folded >= size, 2 * (size - 1) - folded, folded)


@helper()
def opposite(pad):
    """What undoes a padding: as much cut off."""
    return tuple(-int(n) for n in pad)


@op(
    gradients={"input": "constant_pad_nd(g, opposite(pad), 0)"},
    latex=r"\operatorname{pad}\left(⟨0⟩\right)",
    symbol="pad",
    methods=(),
    samples=((V, (1, 2)), (V, (1, 0, 0, 2), 3.5), (V, (-1, 1), 2.0), (V, (-1, -1, 1, 1))),
    errors=(
        (V, (1,), "Length of pad must be even but instead it equals 1"),
        (
            [1.0, 2.0],
            (1, 1, 1, 1),
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is 4while the"
            " input has 1dimensions.",
        ),
    ),
)
def constant_pad_nd(input: Array, pad, value=0):
    """The input with ``value`` around it; a negative number cuts off."""
    if len(pad) % 2:
        raise errors.PAD_ODD(count=len(pad))
    if len(pad) > 2 * input.ndim:
        raise errors.PAD_LONG(count=len(pad), ndim=input.ndim)
    widths = pairs(pad, input.ndim)
    for n, (before, after) in zip(input.shape, widths, strict=True):
        if n + before + after < 0:
            raise errors.PAD_NARROW()
    cut = tuple(slice(max(-b, 0), n + min(a, 0)) for n, (b, a) in zip(input.shape, widths, strict=True))
    grown = [(max(b, 0), max(a, 0)) for b, a in widths]
    return np.pad(input[cut], grown, constant_values=checked_cast(value or 0, input.dtype))


def _padding(name: str, mode: str, samples: Any) -> dict[str, Any]:
    return {
        "gradients": {
            "input": (
                f"pad_fold(g, input.shape, padding, {mode!r})",
                f"gradient_by(g, input, None, 'pad_fold', (input.shape, padding, {mode!r}), {name!r})",
            )
        },
        "latex": r"\operatorname{pad}\left(⟨0⟩\right)",
        "symbol": "pad",
        "functions": (),
        "methods": (),
        "samples": samples,
        "grad_fn": f"{name}Backward0",
        "torch": "nn.functional.pad",
        "adapt": lambda f, x, pad: f(x, list(pad), mode=mode),
    }


def _taken(input: np.ndarray, pad: Any, mode: str) -> np.ndarray:
    result = input
    for axis, (before, after) in enumerate(pairs(pad, input.ndim)):
        if before or after:
            result = np.take(result, _places(input.shape[axis], before, after, mode), axis)
    return result


@op(
    gradients={"input": "pad_take(g, padding, mode)"},
    functions=(),
    methods=(),
    torch=None,
    latex=r"\operatorname{fold}\left(⟨0⟩\right)",
    samples=(
        ([[0.5, -1.25, 2.0, 1.0]], (1, 2), (1, 1), "reflect"),
        ([[0.5, -1.25, 2.0, 1.0]], (1, 2), (1, 1), "replicate"),
    ),
)
def pad_fold(input: Array, shape, padding, mode):
    """The gradient of a padding by elements: each added to the element it was taken from."""
    result = input
    for axis, (before, after) in enumerate(pairs(padding, input.ndim)):
        if before or after:
            moved = np.moveaxis(result, axis, 0)
            added = np.zeros((shape[axis], *moved.shape[1:]), input.dtype)
            np.add.at(added, _places(shape[axis], before, after, mode), moved)
            result = np.moveaxis(added, 0, axis)
    return np.ascontiguousarray(result)


@op(
    gradients={"input": "pad_fold(g, input.shape, padding, mode)"},
    functions=(),
    methods=(),
    torch=None,
    latex=r"\operatorname{pad}\left(⟨0⟩\right)",
    samples=((V, (1, 1), "reflect"),),
)
def pad_take(input: Array, padding, mode):
    """The input with elements of its own around it."""
    return _taken(input, padding, mode)


@op(**_padding("ReflectionPad1D", "reflect", ((V, (1, 2)), (V, (2, 0)))))
def reflection_pad1d(input: Array, padding):
    """A line continued by its reflection at the ends, the ends themselves not repeated."""
    return _taken(input, padding, "reflect")


@op(**_padding("ReflectionPad2D", "reflect", ((PLANE, (1, 2, 2, 0)), (PLANE, (1, 1, 1, 1)))))
def reflection_pad2d(input: Array, padding):
    """A plane continued by its reflection at the edges."""
    return _taken(input, padding, "reflect")


@op(**_padding("ReflectionPad3D", "reflect", ((BLOCK, (1, 2, 1, 0, 1, 1)),)))
def reflection_pad3d(input: Array, padding):
    """A block continued by its reflection at the faces."""
    return _taken(input, padding, "reflect")


@op(**_padding("ReplicationPad1D", "replicate", ((V, (1, 2)), (V, (4, 0)))))
def replication_pad1d(input: Array, padding):
    """A line continued by its ends."""
    return _taken(input, padding, "replicate")


@op(**_padding("ReplicationPad2D", "replicate", ((PLANE, (1, 2, 3, 0)),)))
def replication_pad2d(input: Array, padding):
    """A plane continued by its edges."""
    return _taken(input, padding, "replicate")


@op(**_padding("ReplicationPad3D", "replicate", ((BLOCK, (1, 2, 1, 0, 3, 1)),)))
def replication_pad3d(input: Array, padding):
    """A block continued by its faces."""
    return _taken(input, padding, "replicate")
