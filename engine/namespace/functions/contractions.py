"""Sums of products over chosen dimensions: `einsum`, `tensordot`, `inner`, `kron`, as PyTorch composes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.functions import composite
from gradflow.engine.namespace.tensor_arguments import has, need, only_tensors
from gradflow.engine.out_rules import OutRule, exactly, has_out
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor, check_dim

_ELLIPSIS = "."


def _call(name: str, *args: Any, **kwargs: Any) -> Any:
    return REGISTRY[name].call(*args, **kwargs)


# -- einsum ------------------------------------------------------------------------------------------------------------


def einsum(*args: Any) -> Any:
    """Sums of products, by an equation such as ``ij,jk->ik`` that names the dimensions."""
    if len(args) < 2:
        raise errors.EINSUM_OPERANDS()
    if not isinstance(args[0], str | Tensor):
        raise errors.EINSUM_OPERANDS()
    equation, operands = args[0], list(args[1:])
    if len(operands) == 1 and isinstance(operands[0], tuple | list):
        operands = list(operands[0])
    if not isinstance(equation, str):
        equation, operands = _spelled(args)
    operands = only_tensors(operands, 1)
    terms, result = _terms(str.__str__(equation), operands)
    sizes = _sizes(terms, operands)
    hidden = sorted({label for term in terms for label in term if label not in result}, key=_place)
    order = [*result, *hidden]
    aligned = [_aligned(t, term, order) for t, term in zip(operands, terms, strict=True)]
    return _contracted(aligned, [set(term) for term in terms], order, len(result), sizes)


def _place(label: str) -> tuple[bool, int, str]:
    """Where a label stands among those that are summed: the dimensions of the dots in their order, then A to Z, a to z."""
    return (False, -int(label[1:]), "") if label[0] == "." else (True, 0, label)


def _spelled(args: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    """The form with lists of numbers after each operand, as an equation."""
    operands, lists = list(args[: len(args) // 2 * 2 : 2]), list(args[1::2])
    letters = [
        "".join("..." if label is Ellipsis else chr(65 + label) if label < 26 else chr(71 + label) for label in labels)
        for labels in lists
    ]
    end = ""
    if len(args) % 2:
        end = "->" + "".join("..." if x is Ellipsis else chr(65 + x) if x < 26 else chr(71 + x) for x in args[-1])
    return ",".join(letters) + end, operands


def _terms(equation: str, operands: list[Tensor]) -> tuple[list[list[str]], list[str]]:
    """The labels of each dimension of each operand and of the result; those of an ellipsis are ``.0``, ``.1``, ..."""
    for side, start in _sides(equation):
        _check_letters(side, start)
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(operands):
        word = "more operands were provided" if len(operands) > len(parts) else "fewer operands were provided"
        raise _wrong(f"{word} than specified in the equation")
    terms = [_labels(part, t._a.ndim, number) for number, (part, t) in enumerate(zip(parts, operands, strict=True))]
    most = max((sum(label[0] == _ELLIPSIS for label in term) for term in terms), default=0)
    dots = [f".{i}" for i in range(most - 1, -1, -1)]
    if arrow:
        return terms, _output(right, dots, terms)
    flat = [label for term in terms for label in term]
    return terms, dots + sorted(label for label in set(flat) if label[0] != _ELLIPSIS and flat.count(label) == 1)


def _sides(equation: str) -> list[tuple[str, int]]:
    """What stands before the arrow and after it, and where each begins."""
    left, arrow, right = equation.partition("->")
    return [(left, 0), (right, len(left) + 2)] if arrow else [(left, 0)]


def _check_letters(side: str, start: int) -> None:
    """Raises RuntimeError for anything but letters, commas, spaces and one ellipsis for each operand."""
    operand, marked, position = 0, False, 0
    owner = "output" if start else "operand"
    while position < len(side):
        letter = side[position]
        if letter == ".":
            whose = owner if start else f"operand {operand}"
            if marked:
                end = "for output but an ellipsis (...) was already found"
                raise _wrong(
                    f"found '.' {end}" if start else f"found '.' for {whose} for which an ellipsis was already found"
                )
            if side[position : position + 3] != "...":
                raise _wrong(f"found '.' for {whose} that is not part of any ellipsis" + " (...)" * bool(start))
            marked, position = True, position + 2
        elif letter == "," and not start:
            operand, marked = operand + 1, False
        elif letter != " " and not (letter.isalpha() and letter.isascii()):
            raise _wrong(
                f"invalid subscript given at index {start + position} in the equation string, subscripts must be in [a-zA-Z]"
            )
        position += 1


def _labels(part: str, ndim: int, number: int) -> list[str]:
    before, dots, after = part.partition("...")
    hidden = ndim - len(before) - len(after)
    if (not dots and hidden) or hidden < 0:
        count, tail = len(before) + len(after), " and no ellipsis was given" if not dots else ""
        verb = "does not match" if not dots else "is more than"
        raise _wrong(
            f"the number of subscripts in the equation ({count}) {verb} the number of dimensions ({ndim}) for operand {number}{tail}"
        )
    return [*before, *(f".{i}" for i in range(hidden - 1, -1, -1)), *after]


def _output(right: str, dots: list[str], terms: list[list[str]]) -> list[str]:
    before, marked, after = right.partition("...")
    result = [*before, *(dots if marked else []), *after]
    known = {label for term in terms for label in term}
    for label in result:
        if label not in known:
            raise _wrong(f"output subscript {label} does not appear in the equation for any input operand")
        if result.count(label) > 1:
            raise _wrong(f"output subscript {label} appears more than once in the output")
    return result


def _wrong(problem: str) -> Exception:
    return errors.EINSUM_EQUATION(problem=problem)


def _sizes(terms: list[list[str]], operands: list[Tensor]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for number, (term, t) in enumerate(zip(terms, operands, strict=True)):
        own: dict[str, int] = {}
        for label, n in zip(term, t._a.shape, strict=True):
            if own.setdefault(label, n) != n:
                raise _wrong(
                    f"subscript {label} is repeated for operand {number} but the sizes don't match, {n} != {own[label]}"
                )
            seen = sizes.get(label, 1)
            if seen != 1 and n not in (1, seen):
                raise _wrong(
                    f"subscript {label} has size {n} for operand {number} which does not broadcast with previously seen size {seen}"
                )
            sizes[label] = max(seen, n) if n else n
    return sizes


def _aligned(operand: Tensor, term: list[str], order: list[str]) -> Tensor:
    """The operand with its dimensions in the common order, 1 where it has none; repeated labels give diagonals."""
    labels = list(term)
    for label in dict.fromkeys(term):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            operand = _call("diagonal", operand, 0, first, second)
            del labels[second]
            places = list(range(len(labels) - 1))
            operand = _call("permute", operand, *places[:first], len(places), *places[first:])
    for label in order:
        if label not in labels:
            operand = _call("unsqueeze", operand, len(labels))
            labels.append(label)
    return _call("permute", operand, *map(labels.index, order)) if order else operand


def _contracted(
    operands: list[Tensor], present: list[set[str]], order: list[str], kept: int, sizes: dict[str, int]
) -> Any:
    """Multiply from the left, summing each label as soon as no later operand has it."""
    result, own = operands[0], present[0]
    for number in range(1, len(operands)):
        later = set().union(*present[number + 1 :])
        summed = [
            i for i, label in enumerate(order) if i >= kept and label in own | present[number] and label not in later
        ]
        result = _sum_of_products(result, operands[number], summed)
        own = (own | present[number]) - {order[i] for i in summed}
    if len(operands) == 1 and len(order) > kept:
        return _call("sum_dim", result, tuple(range(kept, len(order))), False)
    return _call("view", result, *result._a.shape[:kept]) if len(order) > kept else result


def _sum_of_products(a: Tensor, b: Tensor, summed: list[int]) -> Tensor:
    """The product of two aligned operands, summed over dimensions that stay as 1."""
    a, b = _summed_alone(a, b, summed), _summed_alone(b, a, summed)
    shared = [i for i in summed if a._a.shape[i] != 1 and b._a.shape[i] != 1]
    if not shared:
        product: Tensor = _call("mul", a, b)
        return product
    free = [i for i in range(a._a.ndim) if i not in summed]
    batch = [i for i in free if a._a.shape[i] != 1 and b._a.shape[i] != 1]
    left = [i for i in free if i not in batch and a._a.shape[i] != 1]
    right = [i for i in free if i not in batch and i not in left]
    if left and right and max(right) < min(left):  # the result comes in order then
        a, b, left, right = b, a, right, left
    lone = [i for i in summed if i not in shared]
    matrix = _folded(a, batch, left, shared, [*right, *lone])
    other = _folded(b, batch, shared, right, [*left, *lone])
    result = _call("bmm", matrix, other)
    places = [*batch, *left, *summed, *right]
    shape = [1 if i in summed else (b if i in right else a)._a.shape[i] for i in places]
    result = composite.reshape(result, shape)
    back: Tensor = _call("permute", result, *[places.index(i) for i in range(len(places))])
    return back


def _summed_alone(t: Tensor, other: Tensor, summed: list[int]) -> Tensor:
    """One operand without the dimensions to be summed that the other lacks."""
    own = tuple(i for i in summed if other._a.shape[i] == 1 != t._a.shape[i])
    result: Tensor = _call("sum_dim", t, own, True) if own else t
    return result


def _folded(t: Tensor, batch: list[int], rows: list[int], columns: list[int], ones: list[int]) -> Tensor:
    shape = t._a.shape
    sizes = [math.prod(shape[i] for i in group) for group in (batch, rows, columns)]
    return composite.reshape(_call("permute", t, *batch, *rows, *columns, *ones), sizes)


# -- other contractions ------------------------------------------------------------------------------------------------


@has_out(
    exactly(
        "tensordot: Expected the output tensor to have dtype {R}, but got an output tensor with dtype {O}",
        gradient=None,
    )
)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Any:
    """The sum of products over the last dimensions of ``a`` and the first of ``b``, or over pairs of dimensions."""
    if not isinstance(dims, int | tuple | list | Tensor):
        raise errors.TENSORDOT(
            problem="tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two "
            f"lists, but got dims={dims}"
        )
    if isinstance(dims, int):
        if dims < 0:
            raise errors.TENSORDOT(problem=f"tensordot expects dims >= 0, but got dims={dims}")
        has(a, "dim"), has(b, "dim")
        if dims > min(a._a.ndim, b._a.ndim):
            raise errors.TENSORDOT(problem=f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first, second = list(range(-dims, 0)), list(range(dims))
    else:
        first, second = ([d] if isinstance(d, int) else list(d) for d in dims)
    if len(first) != len(second):
        raise errors.TENSORDOT(problem="both dimension lists should have same length")
    need(a, "tensordot", "input", 1), need(b, "tensordot", "other", 2)
    if a._a.dtype != b._a.dtype:
        raise errors.CONTRACTION_DTYPES()
    for i, j in zip(first, second, strict=True):
        n, m = a._a.shape[check_dim(i, a._a.ndim)], b._a.shape[check_dim(j, b._a.ndim)]
        if n == 1 and m != 1:
            b = _call("sum_dim", b, j, True)
        elif m == 1 and n != 1:
            a = _call("sum_dim", a, i, True)
        elif n != m:
            raise errors.TENSORDOT(
                problem=f"contracted dimensions need to match, but first has size {n} in dim {i} and second has size {m} in dim {j}"
            )
    return _dotted(a, b, [check_dim(i, a._a.ndim) for i in first], [check_dim(j, b._a.ndim) for j in second])


def _dotted(a: Tensor, b: Tensor, first: list[int], second: list[int]) -> Any:
    rows = [i for i in range(a._a.ndim) if i not in first]
    columns = [j for j in range(b._a.ndim) if j not in second]
    shape = [a._a.shape[i] for i in rows] + [b._a.shape[j] for j in columns]
    common = math.prod(a._a.shape[i] for i in first)
    if math.prod(shape) == 1:  # one element: no matrices
        left, right = _call("permute", a, *rows, *first), _call("permute", b, *second, *columns)
        if left.is_contiguous() and right.is_contiguous():
            last = composite.flatten(right)
            product = _call("dot", composite.flatten(left), last)
        else:
            last = _call("squeeze_all", right)
            product = _call("sum_all", _call("squeeze_all", left) * last)
    else:
        left = composite.reshape(_call("permute", a, *rows, *first), (-1, common))
        right = composite.reshape(_call("permute", b, *second, *columns), (common, -1))
        product = _call("mm", left, right)
    return _call("view", product, tuple(shape))


@has_out(
    exactly(
        "tensordot: Expected the output tensor to have dtype {R}, but got an output tensor with dtype {O}",
        gradient=None,
    )
)
def inner(input: Tensor, other: Tensor) -> Any:
    """The sum of products over the last dimension of both."""
    if not input._a.ndim or not other._a.ndim:
        return input * other
    if input._a.shape[-1] != other._a.shape[-1]:
        raise errors.INNER_SHAPE(a=list(input._a.shape), b=list(other._a.shape))
    return tensordot(input, other, ([-1], [-1]))


@has_out(OutRule(gradient="mul"))
def kron(input: Tensor, other: Tensor) -> Any:
    """The Kronecker product: a block of multiples of ``other`` for each element."""
    ndim = max(input._a.ndim, other._a.ndim)
    x, y = ((1,) * (ndim - t._a.ndim) + t._a.shape for t in (input, other))
    wide = [n for size in x for n in (size, 1)]
    narrow = [n for size in y for n in (1, size)]
    product = _call("mul", _call("unsafe_view", input, tuple(wide)), _call("unsafe_view", other, tuple(narrow)))
    return _call("unsafe_view", product, tuple(n * m for n, m in zip(x, y, strict=True)))


METHODS: dict[str, Callable[..., Any]] = {"inner": inner, "kron": kron}
"""On Tensor."""

FUNCTIONS: dict[str, Callable[..., Any]] = {**METHODS, "einsum": einsum, "tensordot": tensordot}
"""Under ``torch``."""
