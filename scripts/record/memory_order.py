"""Record in which order PyTorch's functions leave their results in memory, where NumPy would leave them in another.

    python -m scripts.record.memory_order

Writes engine/pytorch/memory_order.txt: an operation of the registry a line, and ``rows`` where its results lie row by row
whatever its operands do, ``operand`` where they lie as its first operand does, ``image`` where they keep channels together. Each sample is tried with operands that lie
column by column. Of the engine bodies are asked, not functions, so that what was recorded before makes no difference.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
import torch.nn.functional as F

from gradflow.engine.namespace.torch import modules
from gradflow.engine.preload import load_everything
from gradflow.engine.registry import REGISTRY, Op, Sample
from gradflow.engine.tensor import Tensor
from tests.oracle.operations import Case, function_of

TARGET = Path("engine") / "pytorch" / "memory_order.txt"
HEAD = "# PyTorch 2.13.0, scripts/record/memory_order.py: where the results of operations do not lie as NumPy leaves them\n"


OF_IMAGES: Final = ("spatial", "fourier", "fft")
"""Modules whose results lie as the format of an image says, or the plan of a transform: samples are too small to tell."""
OF_PARTS: Final = ("roll", "flash_attention")
"""What PyTorch joins of parts, and so in the order that these have."""


def _resized(mode: str, **options: Any) -> Callable[[torch.Tensor], Any]:
    return lambda x: F.interpolate(x, scale_factor=2, mode=mode, **options)


def _padded(mode: str) -> Callable[[torch.Tensor], Any]:
    return lambda x: F.pad(x, (1, 1) * (x.ndim - 2), mode=mode)


IMAGES: Final[dict[str, Callable[[torch.Tensor], Any]]] = {
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, 2),
    "adaptive_avg_pool3d": lambda x: F.adaptive_avg_pool3d(x, 2),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, 2),
    "adaptive_max_pool3d": lambda x: F.adaptive_max_pool3d(x, 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "avg_pool3d": lambda x: F.avg_pool3d(x, 2),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "channel_shuffle": lambda x: F.channel_shuffle(x, 2),
    "constant_pad_nd": _padded("constant"),
    "conv": lambda x: F.conv2d(x, torch.ones(4, 4, 3, 3)),
    "conv_transpose": lambda x: F.conv_transpose2d(x, torch.ones(4, 4, 3, 3)),
    "group_norm": lambda x: F.group_norm(x, 1),
    "max_pool2d_with_indices": lambda x: F.max_pool2d(x, 2),
    "max_pool3d_with_indices": lambda x: F.max_pool3d(x, 2),
    "pixel_shuffle": lambda x: F.pixel_shuffle(torch.cat([x, x], 1), 2),
    "pixel_unshuffle": lambda x: F.pixel_unshuffle(x, 2),
    "reflection_pad2d": _padded("reflect"),
    "reflection_pad3d": _padded("reflect"),
    "replication_pad2d": _padded("replicate"),
    "replication_pad3d": _padded("replicate"),
    "upsample_bicubic2d": _resized("bicubic"),
    "upsample_bicubic2d_aa": _resized("bicubic", antialias=True),
    "upsample_bilinear2d": _resized("bilinear"),
    "upsample_bilinear2d_aa": _resized("bilinear", antialias=True),
    "upsample_nearest2d": _resized("nearest"),
    "upsample_nearest3d": _resized("nearest"),
    "upsample_nearest_exact2d": _resized("nearest-exact"),
    "upsample_nearest_exact3d": _resized("nearest-exact"),
    "upsample_trilinear3d": _resized("trilinear"),
}
"""Operations on images and blocks: how each is called with one of 4 channels."""


def image_order(name: str, call: Callable[[torch.Tensor], Any]) -> str:
    """``image`` where the results have their channels together if the operand has, and ``rows`` where they never do."""
    size = (2, 4, 6, 8) + (4,) * ("3d" in name)
    together = torch.channels_last if len(size) == 4 else torch.channels_last_3d
    rows, columns = call(torch.rand(size)), call(by_columns(torch.rand(size)))
    assert rows.is_contiguous(), name
    assert columns.is_contiguous(), name
    kept = call(torch.rand(size).contiguous(memory_format=together))
    return "image" if kept.is_contiguous(memory_format=together) else "rows"


def by_columns(value: Any) -> Any:
    """An operand of the same elements, each array of which lies column by column; nothing else is changed."""
    if isinstance(value, list | tuple):
        return type(value)(map(by_columns, value))
    if isinstance(value, torch.Tensor) and value.ndim > 1:
        return value.detach().permute(*range(value.ndim)[::-1]).contiguous().permute(*range(value.ndim)[::-1])
    return np.asfortranarray(value._a) if isinstance(value, Tensor) else value


def channels_last(value: Any) -> Any:
    """An operand whose channels lie together, where it has the dimensions of an image; anything else as it is."""
    is_image = isinstance(value, torch.Tensor) and value.ndim == 4
    return value.contiguous(memory_format=torch.channels_last) if is_image else value


def results(value: Any) -> list[Any]:
    """The tensors or arrays that a function gave."""
    return list(value) if isinstance(value, list | tuple) else [value]


CUBE = np.arange(24.0).reshape(3, 4, 2) / 7 - 1.2


def samples(op: Op) -> Iterator[Sample]:
    """Those of the declaration; where there is a ``dim``, also with more dimensions than one that is left."""
    yield from op.samples
    if op.params[0].kind == "tensor" and any(p.name == "dim" for p in op.params):
        for first, *rest in op.samples:
            if np.ndim(first) == 2:
                yield (CUBE, *rest)


def orders(op: Op, sample: Sample) -> Iterator[str]:
    """For each result that can tell: ``rows`` or ``operand`` where the engine differs from it, else ``same``."""
    case, function = Case(op, sample, "float32"), function_of(op)
    usual = results(function(*case.theirs, **case.their_options))
    images = results(function(*map(channels_last, case.theirs), **case.their_options))
    for one in (*usual, *images):
        if isinstance(one, torch.Tensor) and not one.is_contiguous():
            yield "of its own"
    theirs = results(function(*map(by_columns, case.theirs), **case.their_options))
    ours = results(op.body(*map(by_columns, case.ours), **case.options))
    shapes = [tuple(one.shape) for one in case.theirs[:1] if isinstance(one, torch.Tensor)]
    for mine, other in zip(ours, theirs, strict=False):
        if not isinstance(other, torch.Tensor) or sum(n > 1 for n in other.shape) < 2:
            continue
        rows, columns = other.is_contiguous(), other.permute(*range(other.ndim)[::-1]).is_contiguous()
        if not (rows or (columns and tuple(other.shape) in shapes)):
            yield "of its own"
        elif rows == (False if op.elementwise else np.asarray(mine).flags.c_contiguous):
            yield "same"
        else:
            yield "rows" if rows else "operand"


def order(op: Op) -> str | None:
    """What all samples of an operation agree on, where it is not what the engine does without being told."""
    if op.view or op.torch is None or any(each in op.body.__module__ for each in OF_IMAGES) or op.name in OF_PARTS:
        return None
    found = set[str]()
    for sample in samples(op):
        try:
            found.update(orders(op, sample))
        except (LookupError, RuntimeError, TypeError, ValueError, AttributeError, NotImplementedError, IndexError):
            continue  # no function of this name, or none that takes these
    found.discard("same")
    return found.pop() if len(found) == 1 and "of its own" not in found else None


def main() -> None:
    load_everything()
    modules()
    warnings.simplefilter("ignore")
    found = {op.name: order(op) for op in REGISTRY} | {name: image_order(name, call) for name, call in IMAGES.items()}
    lines = [f"{name} {how}\n" for name, how in sorted(found.items()) if how]
    TARGET.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
