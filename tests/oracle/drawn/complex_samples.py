"""Complex numbers for operations whose declarations have samples of real ones alone.

A gradient without its `conj` is right for every real sample. So where PyTorch computes and differentiates an operation of
complex numbers, the engine is compared with it there too, whatever the declaration shows. Where PyTorch refuses them,
nothing is compared: the words are those of `refuses`, which have a test of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from gradflow.engine.registry import Op, Sample
from tests.oracle.operations import (
    Case,
    compare_call,
    fits_in_place,
    function_of,
    in_place,
    parameters_of,
    their_gradients,
)
from tests.support.samples import has_complex

DTYPE = "float64"


def drawn(op: Op) -> Iterator[Sample]:
    """The samples of an operation with an imaginary part added to their tensors; none where it has complex ones itself."""
    if not op.texts or any(map(has_complex, (*op.samples, *op.edges))):
        return
    generator = np.random.default_rng(3)

    def turned(value: Any) -> Any:
        if not isinstance(value, list | np.ndarray):
            return value
        if np.array(value).dtype.kind != "f":
            return value
        return (np.array(value) + 1j * generator.uniform(0.25, 1.25, np.shape(value))).tolist()

    for sample in op.samples:
        options = [sample[-1]] if sample and isinstance(sample[-1], dict) else []
        given = sample[: len(sample) - len(options)]
        made = []
        for parameter, value in zip(parameters_of(op, len(given)), given, strict=True):
            if parameter.kind == "setting" or value is None:
                made.append(value)
            else:
                made.append([turned(each) for each in value] if parameter.kind == "tensors" else turned(value))
        if has_complex(made):
            yield (*made, *options)


def found_by_drawing(op: Op) -> Iterator[str]:
    """What differs for drawn complex numbers, where PyTorch takes and differentiates them."""
    for sample in drawn(op):
        forms = [(op.call, function_of(op), "")] if not (op.torch or "").endswith("_") else []
        if op.call_inplace is not None and fits_in_place(op, sample, DTYPE):
            forms.append((*in_place(op), "in place: "))
        for ours, theirs, which in forms:
            if _differentiates(Case(op, sample, DTYPE), theirs):
                for difference in compare_call(Case(op, sample, DTYPE), ours, theirs):
                    yield f"{op.name}{sample}: {which}{difference}"


def _differentiates(case: Case, function: Any) -> bool:
    """Whether PyTorch computes the case and its gradients."""
    try:
        result = function(*case.theirs, **case.their_options)
        parts = result if isinstance(result, tuple | list) else [result]
        results = [(None, part) for part in parts if isinstance(part, torch.Tensor) and part.requires_grad]
        if results:
            their_gradients(results, case.leaves, [(torch.ones_like(part)) for _, part in results])
    except (RuntimeError, TypeError, ValueError, IndexError):
        return False
    return bool(results)
