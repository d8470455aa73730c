"""What the transformations of ``torch.func`` say of wrong arguments and results, in PyTorch's words."""

from __future__ import annotations

from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.autograd.forward_ad import check_tangent
from gradflow.engine.namespace.autograd.pytree import leaves, structure
from gradflow.engine.tensor import Tensor


def fail(message: str) -> Exception:
    """A wrong call."""
    return errors.DERIVATIVE_CALL(message=message)


def positions(argnums: Any, count: int) -> tuple[int, ...]:
    """The places of the arguments to differentiate for, from 0. Raises RuntimeError where ``argnums`` names no such."""
    if isinstance(argnums, bool) or not isinstance(argnums, (int, tuple)):
        raise fail(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if argnums == ():
        raise fail("argnums must be non-empty")
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    for number in numbers:
        if not isinstance(number, int):
            raise fail(f"argnum must be int, got: {type(number)}")
        if not -count <= number < count:
            raise fail(f"Got argnum={number}, but only {count} positional inputs")
    places = tuple(n % count for n in numbers)
    if len(set(places)) != len(places):
        raise fail(f"argnums elements must be unique, got {argnums}")
    return places


def split_aux(name: str, output: Any, has_aux: bool) -> tuple[Any, Any]:
    """What a function returned, without and with what it returned beside. Raises RuntimeError where it is no pair."""
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise fail(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for leaf in leaves(output[1]):
        if not isinstance(leaf, Tensor):
            raise fail(f"Expected tensors, got unsupported type {type(leaf)}")
    return output


def check_scalar(output: Any) -> None:
    """Raises RuntimeError where what is differentiated is no single number."""
    name = "grad_and_value(f)(*args)"
    if not isinstance(output, Tensor):
        raise fail(f"{name}: Expected f(*args) to return a Tensor, got {type(output)}")
    if output._a.ndim:
        raise fail(
            f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with {output._a.ndim} dims. Maybe you"
            " wanted"
            " to use the vjp or jacrev APIs instead?"
        )


def check_outputs(output: Any, name: str) -> None:
    """Raises RuntimeError where what is returned is no tensor that can be differentiated."""
    for leaf in leaves(output):
        if not isinstance(leaf, Tensor):
            raise fail(f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(leaf)}")
        if leaf._a.dtype.kind not in "fcV" and name.startswith("vjp"):
            raise fail(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype"
                f" {leaf.dtype}"
            )


def check_tangents(primals: Any, tangents: Any) -> None:
    """Raises RuntimeError where the tangents do not fit the primals."""
    if structure(primals) != structure(tangents):
        raise fail(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, if"
            f" primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {structure(primals)} and"
            f" tangents with structure {structure(tangents)}"
        )
    for name, tree in (("primals", primals), ("tangents", tangents)):
        found = leaves(tree)
        if not found:
            raise fail(f"jvp(f, primals, tangents): Expected {name} to contain at least one Tensor.")
        for leaf in found:
            if not isinstance(leaf, Tensor):
                raise fail(f"jvp(f, primals, tangents): Expected {name} to only contain Tensors, got {type(leaf)}")
    for primal, tangent in zip(leaves(primals), leaves(tangents), strict=True):
        check_tangent(primal, tangent)


def check_real(name: str, tree: Any, which: str) -> None:
    """Raises RuntimeError for a complex tensor."""
    for index, leaf in enumerate(leaves(tree)):
        if isinstance(leaf, Tensor) and leaf._a.dtype.kind == "c":
            raise fail(
                f"{name}: Expected all {which} to be real but received complex tensor at flattened input idx: {index}"
            )
