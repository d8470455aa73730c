"""One sample of one operation on bfloat16 under the engine and under PyTorch: where bits differ, in words.

python -m tests.oracle.bfloat16 mul softmax      the differences of these operations; without a name, of all
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import torch

from gradflow.engine.autograd import backward
from gradflow.engine.registry import REGISTRY, Op, Param
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor
from tests.oracle.operations import Case, attempt, function_of, undecided

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


class ReducedCase(Case):
    """A sample whose floating point numbers are of bfloat16."""

    def tensor(self, parameter: Param, value: Any) -> tuple[Any, Any]:
        if isinstance(value, str):
            return value, value
        array = self.array(value)
        wanted = parameter.name in self.op.texts and array.dtype.kind in "fcV"
        pair = pair_of(array, wanted)
        if wanted:
            self.leaves.append(pair)
        return pair

    def array(self, value: Any) -> np.ndarray:
        """Real numbers in bfloat16; integers and booleans in their own dtype."""
        array = np.array(value)
        return array.astype(BFLOAT16) if array.dtype.kind == "f" else array


def pair_of(array: np.ndarray, requires_grad: bool) -> tuple[Tensor, torch.Tensor]:
    """The same elements for the engine and for PyTorch."""
    wide = array.astype(np.float32) if array.dtype == BFLOAT16 else array
    theirs = torch.tensor(wide)
    theirs = theirs.bfloat16() if array.dtype == BFLOAT16 else theirs
    return Tensor(array.copy(), requires_grad=requires_grad), theirs.requires_grad_(requires_grad)


def report(op: Op) -> list[str]:
    """Every difference of an operation over its samples."""
    if op.torch is None or undecided(op) or (op.torch or "").endswith("_"):
        return []
    STATE.reduced = True
    found = list[str]()
    for number, sample in enumerate(op.samples):
        if "j" in repr(sample):
            continue
        found += [f"{op.name}[{number}]: {each}" for each in compare(op, ReducedCase(op, sample, "float32"))]
    return found


def compare(op: Op, case: ReducedCase) -> Iterator[str]:
    """The results, their dtypes and the first gradients, bit for bit; the words of an error."""
    with np.errstate(all="ignore"):
        expected, their_error = attempt(function_of(op), case.theirs, case.their_options)
        actual, our_error = attempt(op.call, case.ours, case.options)
        if their_error or our_error:
            if their_error != our_error:
                yield f"raises {our_error!r}, PyTorch {their_error!r}"
            return
        pairs = list(zip(_flat(actual), _flat(expected), strict=True))
        for mine, other in pairs:
            yield from differences("result", mine, other)
        yield from _gradients(case, [(a, b) for a, b in pairs if b.requires_grad and a.requires_grad])


def _flat(result: Any) -> list[Any]:
    return [each for part in result for each in _flat(part)] if isinstance(result, tuple | list) else [result]


def differences(what: str, ours: Tensor | None, theirs: torch.Tensor | None) -> Iterator[str]:
    """What differs in two tensors."""
    if ours is None or theirs is None:
        if (ours is None) != (theirs is None):
            yield f"{what} is {ours}, PyTorch's {theirs}"
        return
    if ours.dtype.name != str(theirs.dtype).removeprefix("torch.") or ours._a.shape != tuple(theirs.shape):
        yield f"{what} is {ours.dtype}{ours._a.shape}, PyTorch's {theirs.dtype}{tuple(theirs.shape)}"
        return
    expected = (theirs.float() if theirs.dtype == torch.bfloat16 else theirs).numpy(force=True)
    mine = ours._a.astype(expected.dtype)
    if (theirs.dtype == torch.bfloat16 and not np.array_equal(mine, expected, equal_nan=True)) or not np.allclose(
        mine, expected, 1e-5, 1e-6, equal_nan=True
    ):
        yield f"{what} is {mine.tolist()}, PyTorch's {expected.tolist()}"


def _gradients(case: ReducedCase, results: list[tuple[Tensor, torch.Tensor]]) -> Iterator[str]:
    if not results or not case.leaves:
        return
    ups = [_upstream(a._a, seed) for seed, (a, _) in enumerate(results)]
    ours, error = attempt(_ours, [results, case.leaves, ups], {})
    theirs, their_error = attempt(_theirs, [results, case.leaves, ups], {})
    if error or their_error:
        if error != their_error:
            yield f"backward raises {error!r}, PyTorch {their_error!r}"
        return
    for number, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        yield from differences(f"gradient {number}", mine, other)


def _upstream(array: np.ndarray, seed: int) -> tuple[Tensor, torch.Tensor]:
    values = np.asarray(np.random.default_rng(seed).uniform(-1.5, 1.5, array.shape))
    return pair_of(values.astype(array.dtype), False)


def _ours(results: Any, leaves: Any, ups: Any) -> Any:
    return backward.grad([a for a, _ in results], [a for a, _ in leaves], [a for a, _ in ups], allow_unused=True)


def _theirs(results: Any, leaves: Any, ups: Any) -> Any:
    outputs, inputs, gradients = ([b for _, b in each] for each in (results, leaves, ups))
    return torch.autograd.grad(outputs, inputs, gradients, allow_unused=True)


def main(names: list[str]) -> None:
    """Print the differences of some operations, or of all."""
    warnings.simplefilter("ignore")
    wanted: list[Op] = [REGISTRY[name] for name in names] if names else list(REGISTRY)
    reported: Callable[[Op], list[str]] = report
    for operation in wanted:
        for line in reported(operation):
            print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
