"""Record the signatures by which PyTorch checks the arguments of a call, for the names that the engine provides.

    python -m scripts.record.signatures

Writes engine/pytorch/signatures.txt: one signature a line, those of a function in the order in which they are tried,
methods as `Tensor.name`, the functions behind `torch.nn.functional` as `nn.name`, those of `torch.linalg` and its like as
`linalg.linalg_name`. Needs PyTorch, whose own generator of bindings (torchgen) gives most of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import torch
import torchgen
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd.gen_python_functions import (
    PythonSignatureNativeFunctionPair,
    group_overloads,
    is_py_fft_function,
    is_py_linalg_function,
    is_py_nn_function,
    is_py_special_function,
    is_py_torch_function,
    is_py_variable_method,
    load_signatures,
    should_generate_py_binding,
)

from gradflow.engine.namespace.torch import modules
from gradflow.engine.tensor import Tensor

PACKAGED = Path(torchgen.__file__).parent / "packaged"
TARGET = Path("engine") / "pytorch" / "signatures.txt"
HEAD = "# PyTorch 2.13.0, scripts/record/signatures.py: the signatures of functions and methods; | marks a hidden one"

BY_HAND = """
Tensor.size(int64_t? dim=None)
Tensor.stride(int64_t? dim=None)
Tensor.dim()
Tensor.numel()
Tensor.nelement()
Tensor.ndimension()
numel(Tensor input)
Tensor.item()
Tensor.tolist()
Tensor.data_ptr()
Tensor.element_size()
Tensor.storage_offset()
Tensor.is_contiguous(*, MemoryFormat memory_format=contiguous_format)
Tensor.contiguous(*, MemoryFormat memory_format=contiguous_format)
Tensor.numpy(*, bool force=False)
Tensor.requires_grad_(bool requires_grad=True)
Tensor.copy_(Tensor other, bool non_blocking=False)
Tensor.copy_(Tensor other, bool async=False)|deprecated
Tensor.retain_grad()
Tensor.float(*, MemoryFormat? memory_format=None)
Tensor.double(*, MemoryFormat? memory_format=None)
Tensor.half(*, MemoryFormat? memory_format=None)
Tensor.int(*, MemoryFormat? memory_format=None)
Tensor.long(*, MemoryFormat? memory_format=None)
Tensor.short(*, MemoryFormat? memory_format=None)
Tensor.bool(*, MemoryFormat? memory_format=None)
Tensor.cfloat(*, MemoryFormat? memory_format=None)
Tensor.cdouble(*, MemoryFormat? memory_format=None)
Tensor.cpu(*, MemoryFormat? memory_format=None)
Tensor.new_tensor(PyObject* data, *, ScalarType dtype=None, Device device=None, bool pin_memory=False, bool requires_grad=False)
tensor(PyObject* data, *, ScalarType dtype=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)
as_tensor(PyObject* data, *, ScalarType? dtype=None, Device? device=None)
"""

_BEHIND = """
    adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d avg_pool2d avg_pool3d
    binary_cross_entropy col2im cross_entropy_loss elu elu_ fractional_max_pool2d fractional_max_pool3d gelu glu
    hardsigmoid hardsigmoid_ hardswish hardswish_ hardtanh hardtanh_ huber_loss im2col l1_loss leaky_relu leaky_relu_
    linear log_sigmoid max_pool2d_with_indices max_pool3d_with_indices max_unpool2d max_unpool3d mish mish_ mse_loss
    multi_margin_loss multilabel_margin_loss nll_loss_nd one_hot pad relu6 relu6_ scaled_dot_product_attention silu
    silu_ smooth_l1_loss soft_margin_loss softplus softshrink
"""
BEHIND_FUNCTIONAL = set(_BEHIND.split())
"""The functions of ``torch._C._nn`` that ``torch.nn.functional`` shows or calls."""


def names() -> tuple[set[str], set[str]]:
    """The functions and the methods of the engine."""
    functions = {name for name in modules()["torch"].names() if not written_in_python(torch, name)}
    methods = {name for name in dir(Tensor) if not name.startswith("_") and not written_in_python(torch.Tensor, name)}
    return functions, methods


def inside(module: str) -> set[str]:
    """The functions of a module, by the names that they have in C++."""
    return {f"{module}_{name}" for name in modules()[f"torch.{module}"].names()}


def written_in_python(owner: object, name: str) -> bool:
    """Python itself checks the arguments of such a function."""
    return isinstance(getattr(owner, name, None), FunctionType)


def lines() -> Iterator[str]:
    native = PACKAGED / "ATen" / "native"
    yaml = parse_native_yaml(str(native / "native_functions.yaml"), str(native / "tags.yaml")).native_functions
    generated = list(filter(should_generate_py_binding, yaml))
    deprecated = str(PACKAGED / "autograd" / "deprecated.yaml")
    functions, methods = names()
    for prefix, wanted, belongs in (
        ("", functions, is_py_torch_function),
        ("Tensor.", methods, is_py_variable_method),
        ("nn.", BEHIND_FUNCTIONAL, is_py_nn_function),
        ("linalg.", inside("linalg"), is_py_linalg_function),
        ("special.", inside("special"), is_py_special_function),
        ("fft.", inside("fft"), is_py_fft_function),
    ):
        method = prefix == "Tensor."
        by_name: dict[str, list[PythonSignatureNativeFunctionPair]] = {}
        for pair in load_signatures(generated, deprecated, method=method):
            if belongs(pair.function):
                by_name.setdefault(pair.signature.name, []).append(pair)
        for name in sorted(wanted & by_name.keys()):
            if f"\n{prefix}{name}(" in BY_HAND:
                continue
            for overload in group_overloads(by_name[name]):
                yield prefix + overload.signature.signature_str(skip_outputs=overload.outplace is None, symint=False)


def recorded() -> str:
    """The file as PyTorch and the names of the engine now make it."""
    text = "\n".join(dict.fromkeys([*BY_HAND.strip().splitlines(), *lines()]))
    kept = [line for line in text.splitlines() if "Dimname" not in line]
    return "\n".join([HEAD, *kept]) + "\n"


def main() -> None:
    TARGET.write_text(recorded(), encoding="utf-8")


if __name__ == "__main__":
    main()
