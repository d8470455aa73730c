"""``torch.func``: transformations of functions, by recorded gradients.

A transformation differentiates for fresh tensors. What it returns keeps a graph only where something outside of it, an
outer transformation or a tensor that requires grad, can be reached.

https://pytorch.org/docs/stable/func.html
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import backward
from gradflow.engine.autograd.function.transposed import forward_pass
from gradflow.engine.autograd.node import Node
from gradflow.engine.autograd.transforms import level_stack
from gradflow.engine.autograd.transforms.inner_leaf import Keep, cut_off, inner_leaf, leads_out
from gradflow.engine.autograd.transforms.rows import new_batch, row_of, unit_seeds
from gradflow.engine.namespace.autograd.func_checks import (
    check_outputs,
    check_real,
    check_scalar,
    check_tangents,
    fail,
    positions,
    split_aux,
)
from gradflow.engine.namespace.autograd.pytree import leaves, mapped, outline, structure
from gradflow.engine.namespace.autograd.stateless import functional_call, stack_module_state
from gradflow.engine.namespace.autograd.vmap import vmap
from gradflow.engine.registry import REGISTRY
from gradflow.engine.state import STATE, grad_mode, unrecorded
from gradflow.engine.tensor import Tensor

Function = Callable[..., Any]


class Level(level_stack.Level):
    """One transformation in progress: the tensors that it differentiates for."""

    lasts = False  # whether what it returns can be differentiated for these later

    def __init__(self) -> None:
        super().__init__()
        self.leading: dict[Node, bool] = {}  # of functions, whether their graphs reach out of this level
        self.cut = set[Node]()  # those that have been cut off from the leaves of this level

    def point(self, value: Any) -> Any:
        """A tensor to differentiate for, connected to ``value`` where that requires grad itself."""
        if not isinstance(value, Tensor):
            message = f"Thing passed to transform API must be Tensor, got {type(value)}"
            raise errors.DERIVATIVE_VALUE(message=message)
        if value.requires_grad and self.outer:
            return inner_leaf(value, self.points)
        if value._a.dtype.kind not in "fcV":
            raise errors.INTEGER_REQUIRES_GRAD_METHOD(subject=value)
        fresh = value.detach()
        fresh.requires_grad = True
        self.fresh.add(fresh)
        return fresh

    def result(self, value: Any) -> Any:
        """A result as it leaves the transformation."""
        if not isinstance(value, Tensor) or not value.requires_grad:
            return value
        if not self.leads_out(value):
            return value.detach()
        if not self.lasts:
            cut_off(value, self.fresh, self.leading, self.cut)
        return value

    def leads_out(self, value: Tensor) -> bool:
        """Whether a result can be differentiated for something outside."""
        return self.outer and self.reaches_out(value)

    def reaches_out(self, value: Tensor) -> bool:
        """Whether the graph of a tensor has a leaf that is not one of this level's."""
        return leads_out(value, self.fresh, self.leading)

    def results(self, tree: Any) -> Any:
        return mapped(self.result, tree)


def _zeros(like: Tensor) -> Tensor:
    return Tensor(np.zeros_like(like._a))


def _gradients(outputs: Sequence[Any], points: Sequence[Any], given: Sequence[Any], keep: Keep = True) -> list[Tensor]:
    pairs = [(o, g) for o, g in zip(outputs, given, strict=True) if o.requires_grad]
    if not pairs:
        return [_zeros(p) for p in points]
    found = backward.of_points([o for o, _ in pairs], list(points), [g for _, g in pairs], keep)
    return [_zeros(p) if g is None else g for g, p in zip(found, points, strict=True)]


# -- arguments ---------------------------------------------------------------------------------------------------------


def _lifted(level: Level, func: Function, args: tuple[Any, ...], argnums: Any) -> tuple[list[Any], Any]:
    """The arguments of ``func`` with fresh tensors at ``argnums``, and those fresh ones."""
    places = positions(argnums, len(args))
    lifted = list(args)
    level.given = {id(leaf) for leaf in leaves(args)}
    for place in places:
        lifted[place] = _fresh(level, func, place, args[place])
    chosen = tuple(lifted[p] for p in places)
    return lifted, chosen if isinstance(argnums, tuple) else chosen[0]


def _fresh(level: Level, func: Function, place: int, argument: Any) -> Any:
    """An argument of ``func`` with fresh tensors. The recorder is told what a plain function of the program calls it."""
    fresh = mapped(level.point, argument)
    code = getattr(func, "__code__", None)
    if STATE.recorder is not None and code is not None and place < code.co_argcount:
        STATE.recorder.arguments.append((code.co_name, code.co_varnames[place], fresh))
    return fresh


def _points(tree: Any) -> list[Tensor]:
    return [t for t in leaves(tree) if isinstance(t, Tensor)]


def _as(tree: Any, values: Sequence[Tensor]) -> Any:
    """The values in the structure of ``tree``."""
    stream = iter(values)
    return mapped(lambda leaf: next(stream) if isinstance(leaf, Tensor) else leaf, tree)


def _named(wrapper: Function, func: Function) -> Function:
    wrapper.__name__ = getattr(func, "__name__", "function")
    return wrapper


# -- gradients ---------------------------------------------------------------------------------------------------------


def grad_and_value(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of ``func`` and its value."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        level = Level()
        with level, grad_mode(True):
            lifted, chosen = _lifted(level, func, args, argnums)
            level.given |= {id(leaf) for leaf in leaves(kwargs)}
            output, aux = split_aux("grad_and_value(f)(*args)", func(*lifted, **kwargs), has_aux)
            check_scalar(output)
            keep: Keep = "outer" if level.reaches_out(output) else False  # PyTorch has a graph for each level
            grads = _as(chosen, _gradients([output], _points(chosen), [None], keep))
            found, value = level.results(grads), level.result(output)
            return (found, (value, level.results(aux))) if has_aux else (found, value)

    return _named(wrapper, func)


def grad(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """A function that returns the gradient of ``func``."""
    both = grad_and_value(func, argnums, has_aux)

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return _named(wrapper, func)


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """The outputs of ``func`` at ``primals``, and a function from cotangents to their product with the Jacobian."""
    level = Level()
    level.lasts = True
    with level, grad_mode(True):
        points = [_fresh(level, func, place, each) for place, each in enumerate(primals)]
        output, aux = split_aux("vjp(f, *primals)", func(*points), has_aux)
        check_outputs(output, "vjp(f, *primals)")
    outputs = _points(output)

    def product(cotangents: Any, retain_graph: Any = True, create_graph: Any = None) -> Any:
        for switch in (retain_graph, create_graph):
            if isinstance(switch, Tensor):
                operator.index(switch)  # which raises
        vectors = leaves(cotangents)
        if structure(cotangents) != structure(output):
            raise fail(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function."
                f" cotangents: {outline(cotangents)}, primal output: {outline(output)}"
            )
        with grad_mode(True):
            found = _gradients(outputs, _points(points), vectors)
        return tuple(level.results(_as(points, found)))

    value = level.results(output)
    return (value, product, level.results(aux)) if has_aux else (value, product)


def jvp(func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The outputs of ``func`` at ``primals``, and the product of its Jacobian with ``tangents``."""
    if not isinstance(primals, tuple):
        raise fail(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    check_tangents(primals, tangents)
    level = Level()
    level.forward = True
    with level, grad_mode(True):
        points = [_fresh(level, func, place, each) for place, each in enumerate(primals)]
        output, aux = split_aux("jvp(f, primals, tangents)", func(*points), has_aux)
        check_outputs(output, "jvp(f, primals, tangents)")
        keeps_graph = any(map(level.leads_out, _points(output)))
        product = _as(output, _forward(_points(output), _points(points), leaves(tangents), keeps_graph))
        value, product = level.results(output), level.results(product)
    return (value, product, level.results(aux)) if has_aux else (value, product)


def _forward(outputs: list[Tensor], points: list[Tensor], tangents: list[Tensor], keeps_graph: bool) -> list[Tensor]:
    """The forward derivative from two backward passes: the gradient is linear in its weights.

    PyTorch runs no pass for it, and none is recorded but where its graph is wanted.
    """
    weights = [_zeros(o) for o in outputs]
    for weight in weights:
        weight._rg = True
    with nullcontext() if keeps_graph else unrecorded():
        with forward_pass():
            found = _gradients(outputs, points, weights)
        dependent = [(f, t) for f, t in zip(found, tangents, strict=True) if f.requires_grad]
        if not dependent:
            return [_zeros(o) for o in outputs]
        return _gradients([f for f, _ in dependent], weights, [t for _, t in dependent])


# -- Jacobians ---------------------------------------------------------------------------------------------------------


def jacrev(
    func: Function,
    argnums: Any = 0,
    *,
    has_aux: bool = False,
    chunk_size: Any = None,
    _preallocate_and_copy: bool = False,
) -> Function:
    """A function that returns the Jacobian of ``func``."""
    if chunk_size is not None and chunk_size <= 0:
        raise errors.DERIVATIVE_VALUE(message="jacrev: `chunk_size` should be greater than 0.")
    return _jacobian(func, argnums, has_aux, "vjp(f, *primals)")


def _check_floats(args: tuple[Any, ...], argnums: Any) -> None:
    for place in positions(argnums, len(args)):
        for leaf in leaves(args[place]):
            if isinstance(leaf, Tensor) and leaf._a.dtype.kind not in "fcV":
                message = f"Expected primal to be floating point or complex, but got: {leaf.dtype}"
                raise errors.DERIVATIVE_VALUE(message=message)


def _jacobian(func: Function, argnums: Any, has_aux: bool, of: str) -> Function:
    """The same for both kinds of Jacobian; ``of`` is what PyTorch's messages call the product that it is made of."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        check_real("jacrev" if of.startswith("vjp") else "jacfwd", args, "inputs")
        if of.startswith("jvp"):
            _check_floats(args, argnums)
        level, forward = Level(), of.startswith("jvp")
        level.forward = forward
        with level_stack.Hidden() if forward else nullcontext(), level, grad_mode(True):
            lifted, chosen = _lifted(level, func, args, argnums)
            output, aux = split_aux(of, func(*lifted, **kwargs), has_aux)
            check_outputs(output, of)
            check_real("jacrev" if of.startswith("vjp") else "jacfwd", output, "outputs")
            points, outputs = _points(chosen), _points(output)
            hidden = forward and not any(map(level.leads_out, outputs))  # PyTorch runs no pass forward
            with unrecorded() if hidden else nullcontext(), forward_pass() if forward else nullcontext():
                rows = iter(_rows(outputs, points))
            found = mapped(lambda _: _as(chosen, next(rows)), output)
            return (level.results(found), level.results(aux)) if has_aux else level.results(found)

    return _named(wrapper, func)


def _rows(outputs: list[Tensor], points: list[Tensor]) -> list[list[Tensor]]:
    """The Jacobian of each output for each point, from a pass for each element of all outputs."""
    call = {name: REGISTRY[name].call for name in ("view", "stack")}
    rows: list[list[list[Tensor]]] = [[[] for _ in points] for _ in outputs]
    batch, count = new_batch(), sum(output._a.size for output in outputs)
    for index, (number, seeds) in enumerate(unit_seeds(outputs)):
        with row_of(batch, index, count):
            found = _gradients(outputs, points, seeds)
        for row, one in zip(rows[number], found, strict=True):
            row.append(one)
    return [
        [
            call["view"](call["stack"](row, 0), *output._a.shape, *p._a.shape)
            if row
            else Tensor(np.zeros((*output._a.shape, *p._a.shape), p._a.dtype))
            for row, p in zip(own, points, strict=True)
        ]
        for own, output in zip(rows, outputs, strict=True)
    ]


def jacfwd(func: Function, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """A function that returns the Jacobian of ``func``, computed like `jacrev`."""
    return _jacobian(func, argnums, has_aux, "jvp(f, primals, tangents)")


def hessian(func: Function, argnums: Any = 0) -> Function:
    """A function that returns the second derivatives of ``func``."""
    return jacfwd(jacrev(func, argnums), argnums)


def linearize(func: Function, *primals: Any) -> Any:
    """The outputs of ``func`` at ``primals``, and a function from tangents to their product with the Jacobian."""
    points = tuple(map(_detached, primals))

    def jvp_fn(*tangents: Any) -> Any:
        if structure(tangents) != structure(points):
            raise fail(
                f"Expected the tangents {structure(tangents)} to have the same argspec as the primals {structure(points)}"
            )
        for place, (primal, tangent) in enumerate(zip(leaves(points), leaves(tangents), strict=True)):
            for name in ("shape", "dtype"):
                given, wanted = getattr(tangent, name), getattr(primal, name)
                if given != wanted:
                    raise fail(
                        f"tangent:{place} with {name} {given} in flattened pytree doesn't match the {name} {wanted}"
                        " of the corresponding primal."
                    )
        return _detached(jvp(func, points, tangents)[1])

    jvp_fn.__qualname__ = "linearize.<locals>.jvp_fn"
    return func(*primals), jvp_fn


def _detached(tree: Any) -> Any:
    return mapped(lambda leaf: leaf.detach() if isinstance(leaf, Tensor) else leaf, tree)


def members() -> dict[str, Any]:
    """The public names of the module."""
    own = (
        grad,
        grad_and_value,
        vjp,
        jvp,
        jacrev,
        jacfwd,
        hessian,
        linearize,
        vmap,
        functional_call,
        stack_module_state,
    )
    return {f.__name__: f for f in own}
