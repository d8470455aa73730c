"""The call of a custom Function: its arguments in order, and the operation that stands for it in the record."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from gradflow.engine import errors
from gradflow.engine.registry import Op, Param
from gradflow.engine.tensor import Tensor
from gradflow.engine.tensor.without_array import WithoutArray

if TYPE_CHECKING:
    from gradflow.engine.autograd.function.function import Function
    from gradflow.engine.registry import Op


def arguments(
    forward: Callable[..., Any], separate: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The arguments of ``apply`` in order. Raises TypeError where they do not fit ``forward``.

    ``separate``: there is a ``setup_context``, so that ``forward`` has no ``ctx``; what has a default may then be left out.
    """
    if separate:
        bound = signature(forward).bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.args
    if not kwargs:
        return args
    names = forward.__code__.co_varnames[1 : forward.__code__.co_argcount]
    for name in kwargs:
        if name not in names:
            raise errors.FUNCTION_TYPE(message=f"forward() got an unexpected keyword argument '{name}'")
        if names.index(name) < len(args):
            raise errors.FUNCTION_TYPE(message=f"forward() got multiple values for argument '{name}'")
    last = max(map(names.index, kwargs))
    for position in range(len(args), last):
        if names[position] not in kwargs:
            raise errors.FUNCTION_TYPE(
                message=f"forward() missing required argument: '{names[position]}' (position {position})"
            )
    return (*args, *(kwargs[name] for name in names[len(args) : last + 1]))


def shown(argument: Any) -> Any:
    """An argument as the record notes it."""
    return argument if isinstance(argument, (bool, int, float, str, list, tuple)) else None


def declaration(cls: type[Function], args: tuple[Any, ...], skip: int) -> Op:
    """The call as an operation of the record: its parameters have the names that ``forward`` gives them.

    ``skip``: how many parameters of ``forward`` come before them.
    """
    code = getattr(cls.forward, "__code__", None)
    known = code.co_varnames[skip : code.co_argcount] if code is not None else ()
    names = [known[i] if i < len(known) else f"x{i}" for i in range(len(args))]
    names = [f"{n}_{i}" if n in ("g", "out") else n for i, n in enumerate(names)]
    params = tuple(
        Param(
            n, "tensor" if isinstance(a, Tensor) else "setting", False, False, Parameter(n, Parameter.POSITIONAL_ONLY)
        )
        for n, a in zip(names, args, strict=True)
    )
    texts = {p.name: "backward(g)" for p in params if p.kind == "tensor"}
    title = cls.__name__
    op = Op(
        name=title,
        body=cls.forward,
        texts=texts,
        grad_fn=f"{title}Backward",
        latex="",
        symbol=title,
        promote="none",
        elementwise=False,
        view=False,
        inplace=False,
        may_be_integer=False,
        outputs=(),
        many=False,
        functions=(),
        methods=(),
        samples=(),
        errors=(),
        edges=(),
        torch=None,
        adapt=None,
        keeps=frozenset(),
        refuses={},
    )
    op.doc, op.params = "", params
    return op


def drawn(tensor: Tensor, needed: bool) -> Tensor:
    """The tensor, or what stands for one without an array. Raises NotImplementedError where that needs a gradient."""
    if not isinstance(tensor, WithoutArray):
        return tensor
    if needed:
        raise tensor._refused("a custom Function")
    return tensor._held
