"""``torch.vmap``: a function for one example made one for many, by calling it for each and stacking what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.transforms.level_stack import Mapped, same_numbers
from gradflow.engine.autograd.transforms.rows import new_batch, row_of
from gradflow.engine.namespace.autograd.pytree import leaves, mapped, spread, structure
from gradflow.engine.numerics.mersenne_twister import GENERATOR
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor

Function = Callable[..., Any]


def _name(func: Function) -> str:
    return getattr(func, "__name__", repr(func))


def _fail(message: str) -> Exception:
    return errors.DERIVATIVE_VALUE(message=message)


def vmap(
    func: Function, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Function:
    """A function that maps ``func`` over a dimension of its arguments."""
    if randomness not in ("error", "different", "same"):
        message = f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        raise errors.DERIVATIVE_CALL(message=message)
    if chunk_size is not None and chunk_size <= 0:
        raise _fail(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        for one in leaves(out_dims):
            if not isinstance(one, int | None):
                raise _fail(
                    f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python"
                    " collection of ints representing where in the outputs the vmapped dimension should appear."
                )
        dims = _dims(func, in_dims, args)
        size = _size(args, dims)
        with Mapped(randomness, size) as level:
            state = GENERATOR.state() if randomness == "same" else None
            results, batch = [], new_batch()
            for index in range(size):
                with same_numbers(level, state), row_of(batch, index, size):
                    picked = _picked(args, dims, index)
                    level.example(index, list(zip(leaves(picked), leaves(args), dims, strict=True)))
                    results.append(func(*picked, **kwargs))
            return _stacked(func, results, out_dims)

    wrapped.__name__ = _name(func)
    return wrapped


def _dims(func: Function, in_dims: Any, args: tuple[Any, ...]) -> list[Any]:
    """The dimension of each tensor that is mapped over. Raises ValueError in PyTorch's words."""
    where = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise _fail(
            f"{where}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs,"
            " got:"
            f" {type(in_dims)}."
        )
    if not args:
        raise _fail(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to"
            " vmap over a"
            " function with no inputs. The latter is unsupported."
        )
    try:
        dims = spread(in_dims, args)
    except (ValueError, KeyError):
        raise _fail(
            f"{where}in_dims is not compatible with the structure of `inputs`. in_dims has structure"
            f" {structure(in_dims)} but inputs has structure {structure(args)}."
        ) from None
    return [_dim(where, d, leaf) for d, leaf in zip(dims, leaves(args), strict=True)]


def _dim(where: str, dim: Any, leaf: Any) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise _fail(f"{where}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
    if not isinstance(leaf, Tensor):
        raise _fail(
            f"{where}Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over"
            " non-Tensor"
            " arguments, please use None as the respective in_dim"
        )
    if not -leaf._a.ndim <= dim < leaf._a.ndim:
        raise _fail(
            f"{where}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {leaf._a.ndim} so"
            f" expected in_dim to satisfy -{leaf._a.ndim} <= in_dim < {leaf._a.ndim}."
        )
    return dim % leaf._a.ndim


def _size(args: tuple[Any, ...], dims: list[Any]) -> int:
    sizes = [leaf._a.shape[d] for leaf, d in zip(leaves(args), dims, strict=True) if d is not None]
    if not sizes:
        raise _fail("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise _fail(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the"
            " mapped"
            " dimension"
        )
    return sizes[0]


def _take(value: Any, dim: int | None, index: int) -> Any:
    if dim is None or not isinstance(value, Tensor):
        return value
    return REGISTRY["select"].call(value, dim, index)


def _picked(args: tuple[Any, ...], dims: list[Any], index: int) -> tuple[Any, ...]:
    stream = iter(dims)
    picked: tuple[Any, ...] = mapped(lambda leaf: _take(leaf, next(stream), index), args)
    return picked


def _stacked(func: Function, results: list[Any], out_dims: Any) -> Any:
    first = results[0]
    try:
        dims = iter(_out_dims(out_dims, first))
    except (ValueError, KeyError):
        raise _fail(
            f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of"
            f" `outputs`. out_dims has structure {structure(out_dims)} but outputs has structure {structure(first)}."
        ) from None
    return mapped(lambda *each: _joined(_name(func), list(each), next(dims)), first, *results[1:])


def _out_dims(out_dims: Any, first: Any) -> list[Any]:
    if isinstance(first, Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1:
        return list(out_dims)
    return spread(out_dims, first)


def _joined(name: str, each: list[Any], dim: int | None) -> Any:
    first = each[0]
    if dim is None:
        if isinstance(first, Tensor) and any(not np.array_equal(first._a, one._a, equal_nan=True) for one in each[1:]):
            raise _fail(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return first
    if not isinstance(first, Tensor):
        raise _fail(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(first)}. Did you mean to set out_dims="
            " to None for output?"
        )
    result: Tensor = REGISTRY["stack"].call(each, dim)
    if result._node is not None and first._node is not None:  # in PyTorch the function itself works on the batch
        name = first._node.printed_name
        result._node.title = _BATCHED.get(name, name)
    return result


_BATCHED = {
    "SumBackward0": "SumBackward1", "MeanBackward0": "MeanBackward1", "DotBackward0": "SumBackward1",
    "MaxBackward1": "AmaxBackward0", "MinBackward1": "AminBackward0",
}  # fmt: skip
