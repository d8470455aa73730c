"""One sample of one operation under the engine and under PyTorch: what differs, in words.

    python -m tests.oracle.operations sum_dim mul      the differences of these operations; without a name, of all

A declaration says which function of PyTorch it is: its public name, or `torch=` where that has several operations
(`Tensor.fill_`: it has a form in place only; `ops.aten.slice`: no Python function has this name); and `adapt=` where
PyTorch takes a sample's arguments in another way. What only formulas call has `torch=None`.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import reduce
from itertools import product
from typing import Any, Final

import numpy as np
import torch

from gradflow.engine.autograd import backward
from gradflow.engine.namespace.torch import modules
from gradflow.engine.registry import REGISTRY, Op, Param, Sample
from gradflow.engine.tensor import Tensor, dtypes

DTYPES: Final = ("float32", "float64")
TOLERANCE: Final = {4: (2e-6, 1e-6), 8: (1e-12, 1e-13)}
"""Relative and absolute, by the size of a real element."""
PLACES: Final = (torch, torch.Tensor, torch.nn.functional, torch.special, torch.linalg, torch._C._nn)
COMPLEX: Final = {"float32": "complex64", "float64": "complex128"}

modules()  # gives Tensor its operators
warnings.filterwarnings("ignore", module="torch")


# -- which function ----------------------------------------------------------------------------------------------------


def undecided(op: Op) -> bool:
    """Whether a declaration does not say what it is in PyTorch."""
    return op.torch == "" and not op.functions and not op.methods


def function_of(op: Op) -> Callable[..., Any]:
    """PyTorch's function. Raises LookupError where the name does not exist."""
    name = op.torch or op.public
    spread = any(p.spread for p in op.params)  # PyTorch's methods take a size spread over the arguments
    return _adapted(op, _lookup(name if op.torch or not spread else f"Tensor.{name}"))


def inplace_of(op: Op) -> Callable[..., Any]:
    """PyTorch's form in place. Raises LookupError where there is none."""
    name = (op.torch or op.public).removeprefix("Tensor.").strip("_")
    return _adapted(op, _lookup(f"{name.split('.')[-1]}_"))


def _adapted(op: Op, function: Callable[..., Any]) -> Callable[..., Any]:
    if op.adapt is None:
        return function
    adapt = op.adapt
    return lambda *args, **options: adapt(function, *args, **options)


def _lookup(name: str) -> Any:
    for place in PLACES:
        try:
            return reduce(getattr, name.split("."), place)
        except AttributeError:
            continue
    raise LookupError(f"PyTorch has no {name}")


# -- the same arguments for both ---------------------------------------------------------------------------------------


class Case:
    """A sample in one dtype, as arguments for the engine and for PyTorch, with the leaves of each in the same order."""

    def __init__(self, op: Op, sample: Sample, dtype: str) -> None:
        self.op, self.dtype = op, dtype
        self.options = dict(sample[-1]) if sample and isinstance(sample[-1], dict) else {}
        given = sample[:-1] if self.options else sample
        self.ours: list[Any] = []
        self.theirs: list[Any] = []
        self.leaves: list[tuple[Tensor, torch.Tensor]] = []
        for parameter, value in zip(parameters_of(op, len(given)), given, strict=True):
            mine, other = self.argument(parameter, value)
            self.ours.append(mine)
            self.theirs.append(other)
        self.size = min([a._a.real.itemsize for a, _ in self.leaves], default=8)
        self.their_options = {name: setting(value) for name, value in self.options.items()}

    def argument(self, parameter: Param, value: Any) -> tuple[Any, Any]:
        if parameter.kind == "setting" or value is None:
            return value, setting(value)
        if parameter.kind == "tensors":
            pairs = [self.tensor(parameter, each) for each in value]
            return [a for a, _ in pairs], [b for _, b in pairs]
        if parameter.kind == "operand" and isinstance(value, bool | int | float | complex):
            return value, value
        return self.tensor(parameter, value)

    def tensor(self, parameter: Param, value: Any) -> tuple[Any, Any]:
        if isinstance(value, str):  # a failing input
            return value, value
        array = self.array(value)
        wanted = parameter.name in self.op.texts and array.dtype.kind in "fc"
        pair = Tensor(array.copy(), requires_grad=wanted), torch.tensor(array, requires_grad=wanted)
        if wanted:
            self.leaves.append(pair)
        return pair

    def array(self, value: Any) -> np.ndarray:
        """Lists of floats in the dtype of the case; integers, booleans and arrays in their own."""
        array = np.array(value)
        if isinstance(value, np.ndarray) or array.dtype.kind in "iub":
            return array
        return array.astype(COMPLEX[self.dtype] if array.dtype.kind == "c" else self.dtype)


def parameters_of(op: Op, count: int) -> list[Param]:
    own = list(op.params)
    return own + [own[-1]] * (count - len(own)) if own and own[-1].spread else own[:count]


def setting(value: Any) -> Any:
    """A setting as PyTorch takes it: its dtypes, and index arrays as tensors."""
    if isinstance(value, dtypes.dtype):
        return getattr(torch, value.name)
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value)
    if isinstance(value, (list, tuple)):
        return type(value)(setting(each) for each in value)
    return value


# -- comparison --------------------------------------------------------------------------------------------------------


ELEMENTS: Final = {
    "b": ["bool"],
    "i": ["int32", "uint8"],
    "l": ["int64"],
    "e": ["float16"],
    "w": [],  # bfloat16, which NumPy has not: tests/oracle/test_bfloat16.py
    "f": ["float32"],
    "c": ["complex64"],
}
"""The letters of kinds of elements in declarations."""


ARRAYS: Final = (list, np.ndarray)


def refused(op: Op) -> Iterator[str]:
    """What differs where a declaration says that PyTorch refuses kinds of elements."""
    kinds = [kind for letters in op.refuses for letter in letters for kind in ELEMENTS[letter]]
    for kind, sample in product(kinds, (*op.samples, *op.edges)[:1]):
        for difference in compare(op, _converted(op, sample, kind), "float32"):
            yield f"{kind}: {difference}"


def _converted(op: Op, sample: Sample, kind: str) -> Sample:
    """A sample with all tensors of one dtype."""
    parameters = parameters_of(op, len(sample))
    return tuple(
        np.array(value).astype(kind) if parameter.kind in ("tensor", "operand") and isinstance(value, ARRAYS) else value
        for parameter, value in zip(parameters, sample, strict=True)
    )


def compare(op: Op, sample: Sample, dtype: str) -> Iterator[str]:
    """What differs, in words: the function itself, and its form in place."""
    if not (op.torch or "").endswith("_"):
        yield from compare_call(Case(op, sample, dtype), op.call, function_of(op))
    if op.call_inplace is not None and fits_in_place(op, sample, dtype):
        ours, theirs = in_place(op)
        for difference in compare_call(Case(op, sample, dtype), ours, theirs):
            yield f"in place: {difference}"


def fits_in_place(op: Op, sample: Sample, dtype: str) -> bool:
    """Whether PyTorch can write the result into the first argument."""
    case = Case(op, sample, dtype)
    first = case.theirs[0]
    if not isinstance(first, torch.Tensor):
        return False
    try:
        with torch.no_grad():
            inplace_of(op)(first.detach().clone(), *case.theirs[1:], **case.their_options)
    except (RuntimeError, TypeError):
        return False
    return True


def in_place(op: Op) -> tuple[Callable[..., Any], Callable[..., Any]]:
    theirs = inplace_of(op)
    clone, ours = REGISTRY["clone"].call, op.call_inplace
    assert ours is not None
    return (
        lambda first, *rest, **options: ours(clone(first), *rest, **options),
        lambda first, *rest, **options: theirs(first.clone(), *rest, **options),
    )


def compare_call(case: Case, ours: Callable[..., Any], theirs: Callable[..., Any]) -> Iterator[str]:
    with np.errstate(all="ignore"):
        expected, their_error = attempt(theirs, case.theirs, case.their_options)
        actual, our_error = attempt(ours, case.ours, case.options)
        if their_error or our_error:
            if their_error != our_error:
                yield f"raises {our_error!r}, PyTorch {their_error!r}"
            return
        pairs = list(zip(_flat(actual), _flat(expected), strict=False))
        if len(_flat(actual)) != len(_flat(expected)):
            yield f"{len(_flat(actual))} results, PyTorch {len(_flat(expected))}"
        for mine, other in pairs:
            yield from differences("result", mine, other)
            yield from same_function(mine, other)
        yield from gradients(case, [p for p in pairs if p[0].requires_grad and p[1].requires_grad])


def attempt(function: Callable[..., Any], args: list[Any], options: dict[str, Any]) -> tuple[Any, str | None]:
    try:
        return function(*args, **options), None
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        return None, str(error)


def several_results(op: Op, ours: Any) -> Iterator[str]:
    """What differs in how several results are handed over by ``torch``, ours or PyTorch's: as a plain or a named tuple."""
    theirs = getattr(torch, op.public, None)
    if not op.outputs or op.adapt is not None or theirs is None or op.public not in ours.names():
        return
    for sample in (*op.samples, *op.edges)[:1]:
        case = Case(op, sample, "float32")
        mine, _ = attempt(getattr(ours, op.public), case.ours, case.options)
        other, refusal = attempt(theirs, case.theirs, case.their_options)
        if refusal is None and str(type(mine)) != str(type(other)):
            yield f"{op.public} returns {type(mine)}, PyTorch {type(other)}"


def _flat(result: Any) -> list[Any]:
    return [each for part in result for each in _flat(part)] if isinstance(result, (tuple, list)) else [result]


def same_function(ours: Tensor, theirs: torch.Tensor) -> Iterator[str]:
    mine = None if ours.grad_fn is None else ours.grad_fn.name()
    other = None if theirs.grad_fn is None else theirs.grad_fn.name()
    if mine != other:
        yield f"grad_fn is {mine}, PyTorch's {other}"


def differences(what: str, ours: Any, theirs: Any, scale: float = 1.0, size: int = 8) -> Iterator[str]:
    if ours is None or theirs is None or not isinstance(theirs, torch.Tensor):
        if (ours is None) != (theirs is None) or (theirs is not None and ours != theirs):
            yield f"{what} is {ours}, PyTorch's {theirs}"
        return
    expected = theirs.numpy(force=True)
    if ours._a.shape != expected.shape or ours._a.dtype != expected.dtype:
        yield f"{what} is {ours._a.dtype}{ours._a.shape}, PyTorch's {expected.dtype}{expected.shape}"
    elif not close(ours._a, expected, scale, size):
        yield f"{what} is {ours._a.tolist()}, PyTorch's {expected.tolist()}"


def close(ours: np.ndarray, expected: np.ndarray, scale: float, size: int) -> bool:
    """Within the tolerance of the elements; ``size`` is that of the smallest that went into them."""
    if expected.dtype.kind not in "fc":
        return bool(np.array_equal(ours, expected))
    relative, absolute = TOLERANCE.get(min(size, expected.real.dtype.itemsize), (1e-3, 1e-3))
    return bool(np.allclose(ours, expected, relative * scale, absolute * scale, equal_nan=True))


def gradients(case: Case, results: list[tuple[Tensor, torch.Tensor]]) -> Iterator[str]:
    """First derivatives by two ways of ours, and second ones by the leaves and by the upstream gradient."""
    leaves = case.leaves
    if not results or not leaves:
        return
    ups = [_random(o._a, seed) for seed, (o, _) in enumerate(results)]
    plain, error = attempt(_our_gradients, [results, leaves, [u for u, _ in ups], False], {})
    first, again = attempt(_our_gradients, [results, leaves, [u for u, _ in ups], True], {})
    others, their_error = attempt(their_gradients, [results, leaves, [u for _, u in ups]], {})
    error = error or again
    if error or their_error:
        if error != their_error:
            yield f"backward raises {error!r}, PyTorch {their_error!r}"
        return
    for number, (mine, again, other) in enumerate(zip(plain, first, others, strict=True)):
        yield from differences(f"gradient {number}", mine, other, 2, case.size)
        yield from differences(f"gradient {number} with a graph", again, other, 2, case.size)
        if again is not None and other is not None and again.requires_grad != other.requires_grad:
            yield f"gradient {number} requires_grad={again.requires_grad}, PyTorch's {other.requires_grad}"
    pairs = [(a, b) for a, b in zip(first, others, strict=True) if a is not None and b is not None]
    yield from second([p for p in pairs if p[0].requires_grad and p[1].requires_grad], [*leaves, *ups], case.size)


def second(firsts: list[tuple[Any, Any]], variables: list[tuple[Any, Any]], size: int) -> Iterator[str]:
    if not firsts:
        return
    ups = [_random(mine._a, 50 + number) for number, (mine, _) in enumerate(firsts)]
    ours, error = attempt(_our_gradients, [firsts, variables, [u for u, _ in ups], False], {})
    theirs, their_error = attempt(their_gradients, [firsts, variables, [u for _, u in ups]], {})
    if error or their_error:
        if error != their_error and "is not implemented" not in (their_error or ""):  # ours may have more derivatives
            yield f"second backward raises {error!r}, PyTorch {their_error!r}"
        return
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        if mine is None or other is None:  # not reached, or reached with zeros
            if mine is None and other is None:
                continue
            mine = mine if mine is not None else Tensor(np.zeros_like(other.numpy(force=True)))
            other = other if other is not None else torch.zeros(mine.shape, dtype=setting(mine.dtype))
        yield from differences(f"second derivative {number}", mine, other, 10, size)


def _random(array: np.ndarray, seed: int) -> tuple[Tensor, torch.Tensor]:
    generator = np.random.default_rng(seed)
    values = np.asarray(generator.uniform(-1.5, 1.5, array.shape))
    if array.dtype.kind == "c":
        values = values + 1j * generator.uniform(-1.5, 1.5, array.shape)
    values = np.asarray(values).astype(array.dtype)
    return Tensor(values.copy(), requires_grad=True), torch.tensor(values, requires_grad=True)


def _our_gradients(results: Any, leaves: Any, ups: Any, create: bool) -> Any:
    outputs, inputs = [a for a, _ in results], [a for a, _ in leaves]
    return backward.grad(outputs, inputs, ups, create_graph=create, retain_graph=True, allow_unused=True)


def their_gradients(results: Any, leaves: Any, ups: Any) -> Any:
    outputs, inputs = [b for _, b in results], [b for _, b in leaves]
    return torch.autograd.grad(outputs, inputs, ups, create_graph=True, allow_unused=True)


# -- a whole operation -------------------------------------------------------------------------------------------------


def report(op: Op) -> list[str]:
    """Every difference of an operation, over its samples, its edges, its failing inputs and both dtypes."""
    if op.torch is None:
        return []
    if undecided(op):
        return [f"{op.name} is not public: say torch= in its declaration"]
    found = []
    for sample in (*op.samples, *op.edges):
        for dtype in DTYPES:
            try:
                found += [f"{op.name}{sample} {dtype}: {d}" for d in compare(op, sample, dtype)]
            except LookupError as error:
                return [f"{op.name}: {error}"]
    return found + [d for failure in op.errors for d in failing(op, failure)]


def failing(op: Op, failure: Sample) -> Iterator[str]:
    """A failing input: PyTorch's message is the declared one."""
    *sample, message = failure
    case = Case(op, tuple(sample), "float32")
    _, error = attempt(function_of(op), case.theirs, case.their_options)
    if error is None or error.split("\n")[0].strip() != message.split("\n")[0].strip():
        yield f"{op.name}{tuple(sample)}: declared error {message!r}, PyTorch's {error!r}"


def main(names: list[str]) -> int:
    """Print the differences of the named operations, or of all. Returns how many differ."""
    from tests.oracle.drawn.complex_samples import found_by_drawing  # which imports from here

    start = time.perf_counter()
    ops = [REGISTRY[name] for name in names] or list(REGISTRY)
    reports = {op.name: [*report(op), *(found_by_drawing(op) if op.torch is not None else ())] for op in ops}
    for lines in reports.values():
        print(*[line if len(line) < 700 else line[:700] + " ..." for line in lines], sep="\n", end="\n" * bool(lines))
    wrong = sum(map(bool, reports.values()))
    compared = [op for op in ops if op.torch is not None]
    samples = sum(len(op.samples) + len(op.edges) + len(op.errors) for op in compared)
    print(
        f"{len(compared)} operations, {samples} samples, {wrong} operations differ, {time.perf_counter() - start:.1f} s"
    )
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
