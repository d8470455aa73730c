"""What ``import torch`` means to a program: the modules, by full name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from engine import dtypes, tensor_str
from engine import ops as _ops  # noqa: F401  # declares the operations
from engine.guards import Module, allow
from engine.memory_format import FORMATS, STRIDED, layout, memory_format
from engine.namespace import (
    autograd,
    clamping,
    composite,
    contractions,
    copies,
    creation,
    devices,
    drawing,
    elementwise,
    fourier,
    functional,
    generator,
    homes,
    indexing,
    joining,
    kinds,
    layouts,
    low_rank,
    memory,
    methods,
    nn,
    probability,
    random,
    recurrent_steps,
    reductions,
    resizing,
    shapes,
    signal_windows,
    special_functions,
    spectrogram,
    testing,
    windows,
    writing,
)  # fmt: skip
from engine.namespace import linalg as linear_algebra
from engine.namespace.calls import checked
from engine.registry import REGISTRY
from engine.tensor import Size, Tensor

VERSION = "2.13.0"

_COMPOSITES = (
    "sum", "mean", "prod", "max", "min", "norm", "pow", "square", "where", "matmul",
    "outer", "reshape", "flatten", "ravel", "squeeze", "broadcast_to", "narrow", "split", "chunk", "allclose", "equal",
    "numel", "positive", "floor_divide",
)  # fmt: skip
_CREATION = (
    "tensor", "as_tensor", "from_numpy", "zeros", "zeros_like", "ones", "ones_like", "empty", "empty_like", "full",
    "full_like", "arange", "linspace", "eye",
)  # fmt: skip
_ALIASES = methods.ALIASES | {"concat": "cat", "concatenate": "cat"}


def is_tensor(obj: object) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the elements are real floating point numbers."""
    return input.is_floating_point()


def _functions() -> dict[str, Any]:
    table: dict[str, Any] = {name: op.call for op in REGISTRY for name in op.functions if "." not in name}
    table |= {name: getattr(composite, name) for name in _COMPOSITES}
    table |= {name: getattr(creation, name) for name in _CREATION}
    table |= functional.in_torch()
    table |= random.FUNCTIONS | drawing.FUNCTIONS | generator.NAMES
    table |= windows.FUNCTIONS | layouts.FUNCTIONS | kinds.FUNCTIONS
    table |= (
        elementwise.FUNCTIONS
        | special_functions.FUNCTIONS
        | clamping.FUNCTIONS
        | memory.FUNCTIONS
        | resizing.FUNCTIONS
        | spectrogram.FUNCTIONS
        | copies.FUNCTIONS
    )
    table |= (
        reductions.FUNCTIONS
        | linear_algebra.FUNCTIONS
        | contractions.FUNCTIONS
        | shapes.FUNCTIONS
        | joining.FUNCTIONS
        | indexing.FUNCTIONS
        | low_rank.FUNCTIONS
        | recurrent_steps.FUNCTIONS
    )
    table |= {alias: table[name] for alias, name in (_ALIASES | elementwise.ALIASES).items()}
    return table


def _types() -> dict[str, Any]:
    table: dict[str, Any] = {d.name: d for d in dtypes.ALL} | dtypes.ALIASES
    table |= {f"{d.legacy}Tensor": creation.LegacyType(f"{d.legacy}Tensor", d) for d in dtypes.ALL}
    return table | {"Tensor": creation.TENSOR, "memory_format": memory_format, "Size": Size, "dtype": dtypes.dtype}


def _new() -> dict[str, Any]:
    return {**kinds.NAMES, **FORMATS, **layouts.NAMES}


@cache
def modules() -> Mapping[str, Module]:
    """The modules that a program can import, by full name."""
    methods.install()
    homes.settle()
    allow(Size, ("numel", "count", "index"), called=lambda _: "torch.Size")
    allow(dtypes.dtype, ("is_floating_point", "is_complex", "is_signed", "itemsize", "to_complex", "to_real"))
    allow(layout)
    allow(memory_format, called=lambda _: "torch.memory_format")
    differentiation = autograd.modules()
    linalg = Module("torch.linalg", writing.module_checked("linalg", linear_algebra.LINALG, {}))
    training = nn.modules()
    checkpoint = differentiation["torch.utils.checkpoint"]
    utils = Module("torch.utils", {"checkpoint": checkpoint, "data": training["torch.utils.data"]})
    own = {
        "autograd": differentiation["torch.autograd"], "func": differentiation["torch.func"],
        "utils": utils, "linalg": linalg, "nn": training["torch.nn"],
        "optim": training["torch.optim"], "__version__": VERSION, "pi": math.pi, "inf": math.inf,
        "nan": math.nan, "e": math.e, "is_tensor": is_tensor, "is_floating_point": checked("is_floating_point", is_floating_point),
        "set_printoptions": tensor_str.set_printoptions, "strided": STRIDED, "layout": layout, "newaxis": None,
    }  # fmt: skip
    randomness = Module("torch.random", generator.NAMES | {"fork_rng": generator.fork_rng})
    surroundings = (
        devices.modules()
        | probability.modules()
        | signal_windows.modules()
        | {"torch.testing": testing.module(), "torch.return_types": homes.return_types()}
    )
    settings = {name.removeprefix("torch."): m for name, m in surroundings.items() if name.count(".") == 1}
    own_functions = _functions()
    functions = writing.torch_with_out({name: checked(name, function) for name, function in own_functions.items()})
    fft = Module("torch.fft", writing.module_checked("fft", fourier.FFT, {}))
    titles = special_functions.special_titles(own_functions)
    special = Module(
        "torch.special", writing.module_checked("special", special_functions.special(own_functions), titles)
    )
    torch = Module("torch", {
        "special": special, "fft": fft, "random": randomness, **functions, **_types(), **autograd.names(), **own, **_new(),
        **settings, **devices.NAMES,
    })  # fmt: skip
    return {
        **surroundings, **differentiation, "torch": torch, "torch.special": special, "torch.fft": fft, "torch.random": randomness, "torch.linalg": linalg, **training, "torch.utils": utils,
    }  # fmt: skip
