"""Pools: arguments made regular, then the operation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.functional.adaptive_means import is_one, whole_mean
from gradflow.engine.namespace.functional.conv import Sizes, convolutions, sizes
from gradflow.engine.namespace.functional.python_functions import given
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.tensor_arguments import has, need
from gradflow.engine.ops.nn.activation import floating
from gradflow.engine.ops.shape.windows import output_size
from gradflow.engine.tensor import Tensor, check_dim


def _tuple(name: str, argument: str, value: Any, dims: int) -> Sizes:
    regular = sizes(value, dims)
    if len(regular) != dims:
        raise errors.POOL_TUPLE(name=name, argument=argument, count={2: "two", 3: "three"}.get(dims, "one"))
    return regular


def _regular(name: str, dims: int, kernel: Any, stride: Any, padding: Any, dilation: Any = 1) -> list[Sizes]:
    window = _tuple(name, "kernel_size", kernel, dims)
    steps = window if stride is None or stride == () or stride == [] else _tuple(name, "stride", stride, dims)
    return [window, steps, _tuple(name, "padding", padding, dims), _tuple(name, "dilation", dilation, dims)]


def _check_pool(
    input: Tensor, dims: int, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil: bool, name: str = ""
) -> None:
    shape = input._a.shape
    if len(shape) not in (dims + 1, dims + 2):
        raise errors.POOL_INPUT(dims=dims + 1, batched=dims + 2)
    for k, s, p, d in zip(kernel, stride, padding, dilation, strict=True):
        if s == 0:
            raise errors.POOL_STRIDE()
        if p < 0:
            raise refuse(f"pad must be non-negative, but got pad: {p}")
        if p > int((d * (k - 1) + 1) / 2):
            raise errors.POOL_PADDING(pad=p, kernel=k, dilation=d)
    for what, letter, values in (("kernel size", "k", kernel), ("stride", "d", stride)):
        if min(values) <= 0:
            raise refuse(f"{what} should be greater than zero, but got {_each(letter, values)}")
    if min(dilation) <= 0:
        raise errors.POOL_DILATION(given=_each("dilation", dilation))
    out = [output_size(*each, ceil) for each in zip(shape[-dims:], kernel, stride, padding, dilation, strict=True)]
    if min(out) < 1 and name == "avg_pool3d":
        (t, h, w), (kt, kh, kw) = shape[-3:], kernel
        raise errors.POOL_SMALL_3D(t=t, h=h, w=w, kt=kt, kh=kh, kw=kw)
    if min(out) < 1:
        raise errors.POOL_OUTPUT(
            size="x".join(map(str, shape[-dims - 1 :])),
            out="x".join(map(str, (shape[-dims - 1], *(max(o, 0) for o in out)))),
        )


def refuse(message: str) -> Exception:
    return errors.POOL_REFUSED(message=message)


def _each(letter: str, values: Sizes) -> str:
    """One number for each dimension, as messages list them."""
    return " ".join(f"{letter}{n}: {v}" for n, v in zip("THW"[3 - len(values) :], values, strict=True))


def _max(
    name: str, dims: int, input: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool
) -> tuple[Tensor, Tensor]:
    settings = _regular(name, dims, kernel, stride, padding, dilation)
    if dims > 1:
        kernel, stride, padding, dilation = settings
        _check_pool(input, dims, kernel, stride, padding, dilation, ceil)
        values, indices = call(f"max_pool{dims}d_with_indices", input, *settings, ceil)
        return values, indices
    kernel, stride, padding, dilation = settings
    _check_line(input, kernel[0], stride[0], padding[0], dilation[0], ceil)
    floating(input._a, "max_pool1d_impl")
    flat = [(1, *settings[0]), (1, *settings[1]), (0, *settings[2]), (1, *settings[3])]
    values, indices = call("max_pool2d_with_indices", call("unsqueeze", input, -2), *flat, ceil)
    return call("squeeze_dim", values, -2), call("squeeze_dim", indices, -2)


def _check_line(input: Tensor, kernel: int, stride: int, padding: int, dilation: int, ceil: bool) -> None:
    shape = input._a.shape
    if len(shape) not in (2, 3):
        raise errors.POOL_INPUT_1D(name="max_pool1d", shape=list(shape))
    for name, value in (("kernel_size", kernel), ("stride", stride)):
        if value <= 0:
            raise refuse(f"max_pool1d() {name} must be greater than zero, but got {value}")
    if padding < 0:
        raise refuse(f"max_pool1d() padding must be non-negative, but got {padding}")
    if padding > kernel // 2:
        raise errors.POOL_PADDING_1D(pad=padding, kernel=kernel)
    if dilation <= 0:
        raise refuse(f"max_pool1d() dilation must be greater than zero, but got {dilation}")
    out = output_size(shape[-1], kernel, stride, padding, dilation, ceil)
    if out < 1:
        raise errors.POOL_OUTPUT_1D(out=out)


def _max_pool(dims: int) -> Callable[..., Any]:
    name = f"max_pool{dims}d"

    def pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        behind = name if not return_indices else f"{name}_with_indices" if dims == 1 else f"nn.{name}_with_indices"
        steps = [] if stride is None else stride
        values, indices = _max(name, dims, *given(behind, input, kernel_size, steps, padding, dilation, ceil_mode))
        return (values, indices) if return_indices else values

    pool.__name__, pool.__qualname__ = name, f"_{name}"
    pool.__doc__ = f"The largest element of each window in {dims} dimensions."
    return pool


def _max_pool_with_indices(dims: int) -> Callable[..., Any]:
    pool = _max_pool(dims)

    def both(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = True,
    ) -> Any:
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    both.__name__ = both.__qualname__ = f"max_pool{dims}d_with_indices"
    both.__doc__ = f"The largest element of each window in {dims} dimensions, and its number."
    return both


def _average(
    dims: int, input: Tensor, kernel: Any, stride: Any, padding: Any, ceil: bool, include: bool, override: Any
) -> Tensor:
    name = f"avg_pool{dims}d"
    window, steps, pads, one = _regular(name, dims, kernel, stride, padding)
    if override == 0:
        raise errors.POOL_DIVISOR()
    if dims == 1:
        if input._a.ndim not in (2, 3):
            raise errors.POOL_AVERAGE_1D(ndim=input._a.ndim, name=name)
        lifted = call("unsqueeze", input, -2)
        _check_pool(lifted, 2, (1, *window), (1, *steps), (0, *pads), (1, 1), ceil)
        return call(
            "squeeze_dim", call("avg_pool2d", lifted, (1, *window), (1, *steps), (0, *pads), ceil, include, None), -2
        )
    if dims == 2 and input._a.ndim < 3:
        check_dim(-3, input._a.ndim)
    _check_pool(input, dims, window, steps, pads, one, ceil, name)
    return call(name, input, window, steps, pads, ceil, include, override)


def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of a line."""
    return _average(1, need(input, "avg_pool1d"), kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Tensor:
    """The mean of each window of a plane."""
    return _average(
        2, need(input, "avg_pool2d"), kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def avg_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Tensor:
    """The mean of each window of a block."""
    return _average(
        3, need(input, "avg_pool3d"), kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def _lp(dims: int, input: Tensor, power: float, kernel: Any, stride: Any, ceil: bool) -> Tensor:
    window = sizes(kernel, dims) if isinstance(kernel, tuple | list) else (kernel,) * dims
    if isinstance(power, int | float) and math.isinf(power):
        size = call("abs", has(input, "abs"))
        pool = _max_pool(dims)
        largest = pool(size if power > 0 else call("neg", size), kernel, stride, 0, 1, ceil)
        return largest if power > 0 else call("neg", largest)
    out = _average(dims, composite.pow(input, power), kernel, stride, 0, ceil, True, None)
    positive = call("mul", call("sign", out), call("relu", call("abs", out)))
    return composite.pow(call("mul", positive, math.prod(window)), 1.0 / power)


def _lp_pool(dims: int) -> Callable[..., Tensor]:
    def pool(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
        return _lp(dims, has(input, "pow"), norm_type, kernel_size, stride, ceil_mode)

    pool.__name__ = pool.__qualname__ = f"lp_pool{dims}d"
    pool.__doc__ = f"The p-norm of each window in {dims} dimensions."
    return pool


# -- pools to a given size ---------------------------------------------------------------------------------------------


def _target(name: str, dims: int, input: Tensor, output_size: Any, colon: str = "") -> Sizes:
    shape, largest = input._a.shape, "max" in name
    if dims == 3 and not largest:
        _require_elements(name, shape, range(max(len(shape) - 3, 0), len(shape)))
    if len(shape) not in (dims + 1, dims + 2):
        if dims == 1:
            raise refuse(
                f"Expected 2 to 3 dimensions, but got {len(shape)}-dimensional tensor for argument #1 'self' (while "
                f"checking arguments for {name})"
            )
        raise errors.ADAPTIVE_INPUT(name=name, dims=dims + 1, batched=dims + 2, shape=list(shape), colon=colon)
    given = (output_size,) * dims if isinstance(output_size, int) else tuple(output_size)
    if len(given) != dims:
        raise _count(name, dims, len(given))
    if largest:
        _require_elements(name, shape, range(1, len(shape)))
    elif dims == 1:
        _require_elements("adaptive_avg_pool2d", (*shape[:-1], 1, shape[-1]), range(len(shape) - 1, len(shape) + 1))
    else:
        _require_elements(name, shape, range(len(shape) - dims, len(shape)))
    target = tuple(shape[i - dims] if n is None else int(n) for i, n in enumerate(given))
    if min(target) < 0:
        raise _negative(name, shape, target)
    return target


def _require_elements(name: str, shape: tuple[int, ...], places: range) -> None:
    for place in places:
        if shape[place] == 0:
            raise refuse(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(shape)} with dimension {place} being empty"
            )


def _count(name: str, dims: int, count: int) -> Exception:
    if dims == 1:
        return refuse(f"{name}() argument 'output_size' should contain one int (got {count})")
    if "max" in name:
        return refuse(f"{name}(): internal error: output_size.size() must be {dims}")
    return errors.ADAPTIVE_SIZE(name=name, count=dims)


def _negative(name: str, shape: tuple[int, ...], target: Sizes) -> Exception:
    wanted = (1, *target) if len(target) == 1 else target
    if "max" in name:
        whole = [*shape[: len(shape) - len(target)], *wanted]
        return errors.NEGATIVE_DIMENSION(size=min(target), shape=whole)
    if len(wanted) == 3:
        return errors.ADAPTIVE_NEGATIVE(name=name, given=f"{wanted[0]}, {wanted[1]},{wanted[2]}")
    return errors.ADAPTIVE_NEGATIVE(name="adaptive_avg_pool2d", given=f"{wanted[0]}, {wanted[1]}")


def _whole(input: Tensor, output_size: Any) -> Any:
    """The size wanted, with that of the input where it says None."""
    if not isinstance(output_size, tuple | list | str):
        return output_size
    shape = input._a.shape
    if len(shape) <= len(output_size):
        raise errors.ADAPTIVE_DIMENSIONS(least=len(output_size) + 1)
    own = shape[len(shape) - len(output_size) :]
    return [n if v is None else v for v, n in zip(output_size, own, strict=True)]


def _adaptive_average(dims: int) -> Callable[..., Tensor]:
    name = f"adaptive_avg_pool{dims}d"

    def pool(input: Tensor, output_size: Any) -> Tensor:
        if dims > 1:
            input, output_size = given(f"nn.{name}", has(input, "size"), _whole(input, output_size))
            if is_one(output_size, dims):
                return whole_mean(need(input, name), dims)
        target = _target(name, dims, need(input, name), output_size)
        floating(input._a, f"adaptive_avg_pool{'3d_cpu' if dims == 3 else '2d'}")
        if dims == 1:
            return call("squeeze_dim", _adaptive_mean(call("unsqueeze", input, -2), (1, *target)), -2)
        return _adaptive_mean(input, target)

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"The means of as many windows in {dims} dimensions as are wanted."
    return pool


def _adaptive_mean(input: Tensor, target: Sizes) -> Tensor:
    dims = len(target)
    if all(n == 1 for n in target):
        return whole_mean(input, dims)
    return call(f"adaptive_avg_pool{dims}d", input, target)


def adaptive_mean_to(input: Tensor, target: Sizes) -> Tensor:
    """The means of windows that divide the input into the given numbers, in one to three dimensions."""
    return _adaptive_average(len(target))(input, target)


def _adaptive_maximum(dims: int, both: bool) -> Callable[..., Any]:
    name = f"adaptive_max_pool{dims}d"

    def pool(input: Tensor, output_size: Any, return_indices: bool = both) -> Any:
        if dims > 1:
            output_size = _whole(has(input, "size"), output_size)
        input, output_size = given(f"nn.{name}" if dims > 1 else name, input, output_size)
        target = _target(name, dims, input, output_size, ":")
        floating(input._a, f"adaptive_max_pool{'3d_cpu' if dims == 3 else '2d'}")
        if dims == 1:
            pair = call("adaptive_max_pool2d", call("unsqueeze", input, -2), (1, *target))
            values, indices = (call("squeeze_dim", t, -2) for t in pair)
        else:
            values, indices = call(name, input, target)
        return (values, indices) if return_indices or both else values

    pool.__name__ = f"{name}_with_indices" if both else name
    pool.__qualname__ = f"{name}_with_indices" if both else f"_{name}"
    pool.__doc__ = f"The largest elements of as many windows in {dims} dimensions as are wanted."
    return pool


def _unpooled(dims: int, usual: list[int], steps: Sizes, wanted: Any) -> list[int]:
    """A size asked for, less than a step from the usual one. Raises ValueError."""
    if len(wanted) == dims + 2:
        wanted = wanted[2:]
    if len(wanted) != dims:
        raise errors.MODULE_ARGUMENT(
            message=f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
            f"'{len(wanted)}'"
        )
    for i, (n, step) in enumerate(zip(usual, steps, strict=True)):
        if not n - step < wanted[i] < n + step:
            raise errors.MODULE_ARGUMENT(
                message=f'invalid output_size "{wanted}" (dim {i} must be between {n - step} and {n + step})'
            )
    return [int(n) for n in wanted]


def _unpool(dims: int) -> Callable[..., Tensor]:
    name = f"max_unpool{dims}d"

    def unpool(
        input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Tensor:
        kernel, steps, pads, _ = _regular(name, dims, kernel_size, stride, padding)
        shape = has(input, "size")._a.shape
        size = [(n - 1) * s + k - 2 * p for n, s, k, p in zip(shape[-dims:], steps, kernel, pads, strict=True)]
        if output_size is not None:
            size = _unpooled(dims, size, steps, output_size)
        if shape != indices._a.shape:
            raise errors.UNPOOL_SHAPE(input=list(shape), indices=list(indices._a.shape))
        if dims > 1:
            return call(name, input, indices, tuple(size))
        flat = call("max_unpool2d", call("unsqueeze", input, -1), Tensor(np.expand_dims(indices._a, -1)), (*size, 1))
        return call("squeeze_dim", flat, -1)

    unpool.__name__ = unpool.__qualname__ = name
    unpool.__doc__ = f"Zeros with each maximum at the place in {dims} dimensions where it was found."
    return unpool


def functions() -> dict[str, Callable[..., Any]]:
    """All of them, by name."""
    made: list[Any] = [avg_pool1d, avg_pool2d, avg_pool3d]
    for dims in (1, 2, 3):
        made += [_max_pool(dims), _max_pool_with_indices(dims), _lp_pool(dims)]
        made += [_adaptive_average(dims), _adaptive_maximum(dims, False), _adaptive_maximum(dims, True), _unpool(dims)]
    return convolutions() | {function.__name__: function for function in made}
