"""What ``import torch`` means to a program: the modules, by full name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from gradflow.engine import ops as _ops  # noqa: F401  # declares the operations
from gradflow.engine.namespace import out_argument, special_functions, testing
from gradflow.engine.namespace.autograd import torch_autograd
from gradflow.engine.namespace.checked_calls import checked, module_checked
from gradflow.engine.namespace.distributions import torch_distributions
from gradflow.engine.namespace.einops import layers as einops
from gradflow.engine.namespace.functional import rnn, torch_nn_functional
from gradflow.engine.namespace.functions import (
    clamping,
    composite,
    contractions,
    copies,
    creation,
    elementwise,
    index_functions,
    joining,
    layouts,
    legacy_types,
    memory,
    quantizing,
    reductions,
    resizing,
    segments,
    shapes,
)
from gradflow.engine.namespace.linalg import lobpcg, low_rank
from gradflow.engine.namespace.linalg import torch_linalg as linear_algebra
from gradflow.engine.namespace.nn import parallel, torch_nn
from gradflow.engine.namespace.public import (
    amp,
    at_once,
    attention,
    compilers,
    custom_operators,
    files,
    foreach,
    functorch,
    helpers,
    homes,
    more_parts,
    nested,
    overrides,
    processes,
    profiling,
    prune,
    small_parts,
    trees,
)
from gradflow.engine.namespace.random import creation as random
from gradflow.engine.namespace.random import generator, random_in_place
from gradflow.engine.namespace.signal import fourier, spectrogram, torch_signal, windows
from gradflow.engine.namespace.sparse import torch_sparse
from gradflow.engine.namespace.tensor import devices, methods, qualified_names, storages, type_info
from gradflow.engine.out_rules import has_alias
from gradflow.engine.pytorch import exists
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import Module, allow
from gradflow.engine.sandbox.library.copies import copy_as_itself
from gradflow.engine.tensor import Size, Tensor, dtypes, printing
from gradflow.engine.tensor.device import device
from gradflow.engine.tensor.memory_format import FORMATS, STRIDED, layout, memory_format

VERSION = "2.13.0"

_COMPOSITES = (
    "sum", "mean", "prod", "max", "min", "pow", "where", "matmul", "outer", "reshape", "flatten", "ravel",
    "broadcast_to", "equal", "numel",
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
    written = {f"{op.name}_": op.call_inplace for op in REGISTRY if op.call_inplace is not None}
    table |= {name: function for name, function in written.items() if exists("torch", name)}
    table |= {name: getattr(composite, name) for name in _COMPOSITES}
    table |= {name: getattr(creation, name) for name in _CREATION}
    table |= torch_nn_functional.in_torch()
    table |= random.FUNCTIONS | random_in_place.FUNCTIONS | generator.NAMES
    table |= windows.FUNCTIONS | layouts.FUNCTIONS | type_info.FUNCTIONS
    table |= (
        elementwise.FUNCTIONS
        | special_functions.FUNCTIONS
        | clamping.FUNCTIONS
        | memory.FUNCTIONS
        | quantizing.FUNCTIONS
        | resizing.FUNCTIONS
        | segments.FUNCTIONS
        | spectrogram.FUNCTIONS
        | copies.FUNCTIONS
    )
    table |= (
        reductions.FUNCTIONS
        | linear_algebra.FUNCTIONS
        | contractions.FUNCTIONS
        | shapes.FUNCTIONS
        | joining.FUNCTIONS
        | index_functions.FUNCTIONS
        | low_rank.FUNCTIONS
        | lobpcg.FUNCTIONS
        | rnn.FUNCTIONS
    )
    for alias, name in (_ALIASES | elementwise.ALIASES).items():
        table[alias] = table[name]
        has_alias(alias, name)
        if f"{name}_" in table and exists("torch", f"{alias}_"):
            table[f"{alias}_"] = table[f"{name}_"]
    return table


def _types() -> dict[str, Any]:
    table: dict[str, Any] = {d.name: d for d in dtypes.ALL} | dtypes.ALIASES
    table |= {f"{d.legacy}Tensor": legacy_types.LegacyType(f"{d.legacy}Tensor", d) for d in dtypes.ALL}
    table |= storages.TYPES
    return table | {"Tensor": legacy_types.TENSOR, "memory_format": memory_format, "Size": Size, "dtype": dtypes.dtype}


def _new() -> dict[str, Any]:
    return {**type_info.NAMES, **FORMATS, **layouts.NAMES}


@cache
def modules() -> Mapping[str, Module]:
    """The modules that a program can import, by full name."""
    methods.install()
    qualified_names.settle()
    allow(Size, ("numel", "count", "index"), called=lambda _: "torch.Size", copyable=True)
    allow(dtypes.dtype, ("is_floating_point", "is_complex", "is_signed", "itemsize", "to_complex", "to_real"))
    allow(layout)
    allow(memory_format, called=lambda _: "torch.memory_format")
    copy_as_itself(dtypes.dtype, layout, memory_format, device)
    differentiation = torch_autograd.modules()
    linalg = Module("torch.linalg", module_checked("linalg", linear_algebra.LINALG, {}))
    training = torch_nn.modules()
    checkpoint = differentiation["torch.utils.checkpoint"]
    utils = Module("torch.utils", {"checkpoint": checkpoint, "data": training["torch.utils.data"]})
    own = {
        "autograd": differentiation["torch.autograd"],
        "func": differentiation["torch.func"],
        "utils": utils,
        "linalg": linalg,
        "nn": training["torch.nn"],
        "optim": training["torch.optim"],
        "__version__": VERSION,
        "pi": math.pi,
        "inf": math.inf,
        "nan": math.nan,
        "e": math.e,
        "is_tensor": is_tensor,
        "is_floating_point": checked("is_floating_point", is_floating_point),
        "set_printoptions": printing.set_printoptions,
        "strided": STRIDED,
        "layout": layout,
        "newaxis": None,
    }
    randomness = Module("torch.random", generator.NAMES | {"fork_rng": generator.fork_rng})
    surroundings = (
        devices.modules()
        | torch_distributions.modules()
        | torch_signal.modules()
        | {"torch.testing": testing.module(), "torch.return_types": qualified_names.return_types()}
        | {"torch.sparse": torch_sparse.module()}
    )
    settings = {name.removeprefix("torch."): m for name, m in surroundings.items() if name.count(".") == 1}
    own_functions = _functions()
    functions = out_argument.torch_with_out({name: checked(name, function) for name, function in own_functions.items()})
    fft = Module("torch.fft", module_checked("fft", fourier.FFT, {}))
    titles = special_functions.special_titles(own_functions)
    special = Module("torch.special", module_checked("special", special_functions.special(own_functions), titles))
    torch = Module(
        "torch",
        {
            "special": special,
            "fft": fft,
            "random": randomness,
            **functions,
            **_types(),
            **torch_autograd.names(),
            **own,
            **_new(),
            **settings,
            **devices.NAMES,
            **torch_sparse.NAMES,
        },
    )
    return homes.completed(
        {
            **surroundings,
            **differentiation,
            "torch": torch,
            "torch.special": special,
            "torch.fft": fft,
            "torch.random": randomness,
            "torch.linalg": linalg,
            **training,
            "torch.utils": utils,
            **einops.modules(),
        },
        (
            part.members()
            for part in (
                helpers,
                at_once,
                attention,
                amp,
                compilers,
                custom_operators,
                files,
                foreach,
                functorch,
                more_parts,
                nested,
                overrides,
                profiling,
                processes,
                prune,
                parallel,
                small_parts,
                trees,
            )
        ),
    )
