"""Complex numbers: their parts, their conjugates, and how they are put together."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.ops.pointwise.elementwise import POSITIVE, SPECIAL, V, W, Z, named, rounded
from gradflow.engine.out_rules import ARGUMENT, exactly
from gradflow.engine.registry import REGISTRY, Array, helper, op
from gradflow.engine.tensor import Tensor, dtypes

PARTS = [[0.5, -1.25], [2.0, 1.5], [0.75, -0.5]]


def conj_of_tensor(input: Any) -> Any:
    if not isinstance(input, Tensor):
        return input.conjugate()
    return REGISTRY["conjugate"].call(input) if input._a.dtype.kind == "c" else input


@helper(latex=r"\overline{⟨0⟩}", tensors=conj_of_tensor)
def conj(input):
    """The complex conjugate in a gradient formula, of an array or a number."""
    return input.conjugate()


@op(
    gradients={"input": "conj(g)"},
    latex=r"\overline{⟨0⟩}",
    symbol="z̄",
    grad_fn="ConjBackward0",
    functions=(),
    methods=(),
    samples=((Z,),),
    torch="conj",
)
def conjugate(input: Array):
    """The complex conjugate."""
    return np.conjugate(input)


@op(
    gradients={"input": "conj(g)"},
    latex=r"\overline{⟨0⟩}",
    symbol="z̄",
    elementwise=True,
    inplace=False,
    functions=(),
    methods=(),
    samples=((Z,),),
    torch="conj_physical",
)
def conj_physical(input: Array):
    """The complex conjugate, written out."""
    return np.conjugate(input)


@op(
    gradients={"input": "conj(g)"},
    latex=r"\overline{⟨0⟩}",
    symbol="z̄",
    elementwise=True,
    functions=(),
    methods=(),
    edges=((Z,),),
    samples=((Z,),),
    torch="Tensor.conj_physical_",
    grad_fn="ConjPhysicalBackward1",
)
def conj_written(input: Array):
    """The complex conjugate, in place."""
    return np.conjugate(input)


@op(
    gradients={"input": "view_as_complex(in_order(g))"},
    latex=r"\left(\Re ⟨0⟩, \Im ⟨0⟩\right)",
    symbol="(re,im)",
    view=True,
    methods=(),
    samples=((Z,), (2.0 + 1.5j,), ([Z, Z],)),
    errors=((V, "view_as_real is only supported for complex tensors"),),
    refuses_lazy=errors.LAZY_VIEW_AS_REAL,
)
def view_as_real(input: Array):
    """Real and imaginary parts along a new last dimension, as a view."""
    if input.dtype.kind != "c":
        raise errors.VIEW_AS_REAL()
    return input[..., None].view(input.real.dtype)


@op(
    gradients={"input": "view_as_real(g)"},
    latex=r"⟨0⟩_{0}+i\,⟨0⟩_{1}",
    symbol="re+im·i",
    view=True,
    methods=(),
    samples=((PARTS,), ([1.5, 2.5],)),
    errors=(([1.0, 2.0, 3.0], "Tensor must have a last dimension of size 2"),),
)
def view_as_complex(input: Array):
    """Pairs along the last dimension as complex numbers, as a view."""
    if input.dtype.kind != "f":
        raise errors.VIEW_AS_COMPLEX_DTYPE(dtype=dtypes.of(input).legacy)
    if input.ndim == 0:
        raise errors.VIEW_AS_COMPLEX_SCALAR()
    if input.shape[-1] != 2:
        raise errors.VIEW_AS_COMPLEX_SIZE()
    return input.view(np.result_type(input.dtype, np.complex64))[..., 0]


def _parts_of(name: str, dtype: str) -> Exception:
    return errors.PARTS_DTYPE(first=dtype, second=dtype)


@op(
    refuses={"w": _parts_of},
    gradients={"real": "real_part(g)", "imag": "imaginary_part(g)"},
    latex=r"⟨0⟩+i\,⟨1⟩",
    symbol="re+im·i",
    elementwise=True,
    inplace=False,
    methods=(),
    samples=((V, W), (V, [[1.5], [2.5]])),
    out=exactly(ARGUMENT),
    saves=("real", "imag"),
)
def complex(real: Array, imag: Array):
    """Complex numbers from real and imaginary parts."""
    _same_floats("complex", real, imag)
    result = np.empty(np.broadcast_shapes(real.shape, imag.shape), np.result_type(real.dtype, np.complex64))
    result.real, result.imag = real, imag
    return result


@op(
    refuses={"w": _parts_of, "e": "polar_cpu"},
    gradients={
        "abs": ("real_part(conj(g) * sgn(out))", "polar_backward(g, out)[0]"),
        "angle": ("real_part(conj(g) * (out * 1j))", "polar_backward(g, out)[1]"),
    },
    latex=r"⟨0⟩ \odot e^{i\,⟨1⟩}",
    symbol="r·e^{iφ}",
    elementwise=True,
    inplace=False,
    methods=(),
    samples=((POSITIVE, W),),
    edges=((V, W),),
    out=exactly(ARGUMENT),
)
def polar(abs: Array, angle: Array):
    """Complex numbers from absolute values and angles."""
    _same_floats("polar", abs, angle)
    return abs * complex(rounded(np.cos, angle), rounded(np.sin, angle))


@helper()
def polar_backward(g, out):
    """The gradients of `polar` for the absolute values and the angles."""
    conjugate, mul = conj_of_tensor(g), REGISTRY["mul"].call
    radial = real_of_tensor(mul(conjugate, REGISTRY["sgn"].call(out)))
    return radial, real_of_tensor(mul(conjugate, REGISTRY["mul_scalar"].call(out, 1j)))


def _same_floats(name: str, first: np.ndarray, second: np.ndarray) -> None:
    element_dtypes = [dtypes.of(a) for a in (first, second)]
    for dtype in element_dtypes:
        if not dtype.is_floating_point:
            raise errors.PARTS_DTYPE(first=element_dtypes[0].legacy, second=element_dtypes[1].legacy)
    if first.dtype != second.dtype:
        raise errors.PARTS_DIFFER(first=element_dtypes[0].legacy, second=element_dtypes[1].legacy, name=name)


def _part(index: int) -> Any:
    def part(input: Any) -> Any:
        if input._a.dtype.kind != "c":
            return input if index == 0 else REGISTRY["zeros_like_array"].call(input)
        plain = input if input._through is None else REGISTRY["clone"].call(input)
        return REGISTRY["select"].call(REGISTRY["view_as_real"].call(plain), -1, index)

    return part


real_of_tensor, imag_of_tensor = _part(0), _part(1)


@helper(latex=r"\Re ⟨0⟩", tensors=real_of_tensor)
def real_part(input):
    """The real part in a gradient formula."""
    return input.real


@helper(latex=r"\Im ⟨0⟩", tensors=imag_of_tensor)
def imaginary_part(input):
    """The imaginary part in a gradient formula."""
    return input.imag


@op(
    gradients={"input": "angle_backward(g, input)"},
    latex=r"\arg ⟨0⟩",
    symbol="arg",
    promote="float",
    inplace=False,
    samples=((Z,), (V,)),
    edges=((SPECIAL,), ([0j, 1 + 0j],), ([1, -2],)),
)
def angle(input: Array):
    """The angle of a complex number; 0 or π for a real one."""
    floats = dtypes.to_float(input)
    if floats.dtype.kind == "c":
        return rounded(np.arctan2, floats.imag, floats.real)
    return np.where(np.isnan(floats), floats, np.where(floats < 0, np.pi, 0)).astype(floats.dtype)


def _angle_backward_of_tensor(g: Any, input: Any) -> Any:
    if input._a.dtype.kind != "c":
        return REGISTRY["zeros_like_array"].call(g)
    size = REGISTRY["abs"].call(input)
    turned = REGISTRY["mul_scalar"].call(g * input / REGISTRY["pow_scalar"].call(size, 2), 1j)
    return REGISTRY["where"].call(Tensor(np.asarray(input._a == 0)), 0.0, turned)


@helper(latex=r"⟨0⟩ \odot \tfrac{i\,⟨1⟩}{|⟨1⟩|^{2}}", tensors=_angle_backward_of_tensor)
def angle_backward(g, input):
    """The gradient of `angle`; 0 for real numbers and at 0."""
    if input.dtype.kind != "c":
        return np.zeros_like(g)
    return np.where(input == 0, 0, g * 1j * input / (input.real**2 + input.imag**2)).astype(input.dtype)


@op(symbol="real?", latex=named("isreal"))
def isreal(input: Array):
    """Whether the imaginary part is 0."""
    return np.isreal(input)


def _sgn_backward_of_tensor(input: Any, g: Any, out: Any) -> Any:
    if input._a.dtype.kind != "c":
        return REGISTRY["zeros_like_array"].call(g)
    scaled = g / REGISTRY["abs"].call(input)
    turned = scaled - real_of_tensor(scaled * conj_of_tensor(out)) * out
    return REGISTRY["where"].call(Tensor(np.asarray(input._a == 0)), 0.0, turned)


@helper(latex=r"\tfrac{⟨1⟩-⟨2⟩ \odot \Re\left(⟨1⟩ \odot \overline{⟨2⟩}\right)}{|⟨0⟩|}", tensors=_sgn_backward_of_tensor)
def sgn_backward(input, g, out):
    """The gradient of `sgn`: 0 for real numbers; what turns a complex number."""
    if input.dtype.kind != "c":
        return np.zeros_like(g)
    scaled = g / np.abs(input)
    return np.where(input == 0, 0, scaled - (scaled * out.conj()).real * out).astype(input.dtype)
