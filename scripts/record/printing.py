"""Record how PyTorch prints tensors of many dtypes, shapes and sizes into tests/golden/printing.json.

    python -m scripts.record.printing

Needs PyTorch 2.13.0. The output depends on nothing but this file.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch

VERSION = "2.13.0"
TARGET = Path("tests") / "golden" / "printing.json"
NAN, INF = math.nan, math.inf

FLOATS: list[Any] = [
    1.0,
    -0.0,
    3.14159,
    [],
    [1.0, 2.0],
    [0.0, -0.0],
    [-0.0, 1.5],
    [1.0, NAN],
    [1.5, INF, -INF],
    [NAN, INF],
    [10.0, NAN, -INF],
    [1e-4, 1.0],
    [9.9e-5, 1.5],
    [9.9e-5],
    [1e8, 2.0],
    [1.00001e8],
    [1000.5, 1.0],
    [1001.5, 1.0],
    [1e10, 1.0],
    [123456789.0],
    [0.1, 0.2, 0.30000001],
    [0.00005, -0.00005],
    [1e-45, 1e38],
    [99999.99999],
    [0.99995, 0.99994],
    [[1.0, 2.0], [3.0, 4.0]],
    [[-1.0, 20.0], [3.5, 4.0]],
    [[[1.0], [2.0]], [[3.0], [4.0]]],
    [[[[1.0, 2.0]]], [[[3.0, 4.0]]]],
]
OPTIONS: list[dict[str, Any]] = [
    {"precision": 2},
    {"precision": 0},
    {"precision": 10},
    {"profile": "short"},
    {"profile": "full"},
    {"sci_mode": True},
    {"sci_mode": False},
    {"linewidth": 30},
    {"threshold": 5, "edgeitems": 1},
]
FLOAT_DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTEGER_DTYPES = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]


def plain(tensor: torch.Tensor) -> list[Any]:
    flat = tensor.detach().flatten()
    if flat.is_complex():
        return [[value.real, value.imag] for value in flat.tolist()]
    return flat.tolist()


def case(tensor: torch.Tensor, options: dict[str, Any] | None = None) -> dict[str, Any]:
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**(options or {}))
    return {
        "options": options or {},
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": list(tensor.shape),
        "data": plain(tensor),
        "grad_fn": None if tensor.grad_fn is None else tensor.grad_fn.name(),
        "requires_grad": tensor.requires_grad,
        "text": repr(tensor),
    }


def by_hand() -> list[dict[str, Any]]:
    cases = [case(torch.tensor(data, dtype=dtype)) for data in FLOATS for dtype in FLOAT_DTYPES[:2]]
    cases += [case(torch.tensor([1.0, 2.5, 3e3, -1e-3]), options) for options in OPTIONS]
    cases += [case(torch.arange(24.0).reshape(2, 3, 4) * 1.25, options) for options in OPTIONS]
    cases += [case(torch.tensor([[1, -20], [300, 4]], dtype=dtype)) for dtype in INTEGER_DTYPES[:3]]
    cases += [case(torch.tensor([1, 20], dtype=dtype)) for dtype in INTEGER_DTYPES]
    cases += [case(torch.tensor(data)) for data in (True, [True, False], [True], [[False], [True]], 5, -5)]
    dtypes = [*FLOAT_DTYPES, *INTEGER_DTYPES, torch.bool, torch.complex64]
    cases += [case(torch.zeros(shape, dtype=dtype)) for shape in ((0,), (0, 3), (2, 0)) for dtype in dtypes]
    big = [torch.arange(2000), torch.arange(2000.0), torch.arange(2000).reshape(50, 40), torch.zeros(11, 10, 10)]
    cases += [case(tensor) for tensor in [*big, torch.ones(1000) / 3, torch.ones(7, 7, 7, 7)]]
    return cases


def with_graph() -> list[dict[str, Any]]:
    cases = []
    for size in range(1, 14):
        leaf = torch.full((size,), 1.5, requires_grad=True)
        cases += [case(tensor) for tensor in (leaf, leaf * 2, leaf.double().exp(), leaf.reshape(1, size))]
    return cases


def complex_numbers() -> list[dict[str, Any]]:
    data: list[Any] = [1 + 2j, [1 + 2j, 3], [1.5 - 2j, 3], [1 + 1e-9j, 3.7], [complex(NAN, 1), complex(1.5, -INF)]]
    return [case(torch.tensor(item, dtype=dtype)) for item in data for dtype in (torch.complex64, torch.complex128)]


def at_random(count: int = 120) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    cases = []
    for index in range(count):
        shape = tuple(int(size) for size in rng.integers(1, 6, rng.integers(1, 4)))
        values = rng.standard_normal(shape) * 10.0 ** rng.integers(-6, 9)
        values = np.round(values) if index % 3 == 0 else values
        tensor = torch.tensor(values).to(FLOAT_DTYPES[index % 4])
        cases.append(case(tensor.requires_grad_() if index % 5 == 0 else tensor))
    return cases


def main() -> None:
    if torch.__version__.split("+")[0] != VERSION:
        raise SystemExit(f"needs PyTorch {VERSION}, this is {torch.__version__}")
    cases = [*by_hand(), *with_graph(), *complex_numbers(), *at_random()]
    lines = ",\n".join(json.dumps(item) for item in cases)
    TARGET.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(cases)} cases -> {TARGET}")


if __name__ == "__main__":
    main()
