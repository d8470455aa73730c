"""Record PyTorch's promotion of dtypes: tensors, 0-d tensors and Python numbers in pairs.

    python -m scripts.record.promotion

Writes tests/golden/promotion.json: for a pair of operands, the dtype of their sum. Needs PyTorch.
"""

from __future__ import annotations

import json
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import torch

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
NUMBERS: dict[str, Any] = {"True": True, "2": 2, "2.5": 2.5, "2j": 2j}
TARGET = Path("tests") / "golden" / "promotion.json"


def operands() -> dict[str, Any]:
    """Tensors with dimensions as `float32[2]`, without as `float32[]`, numbers as they are written."""
    wide = {f"{name}[2]": torch.ones(2, dtype=getattr(torch, name)) for name in DTYPES}
    single = {f"{name}[]": torch.ones((), dtype=getattr(torch, name)) for name in DTYPES}
    return {**wide, **single, **NUMBERS}


def main() -> None:
    warnings.simplefilter("ignore")  # complex numbers of half precision are experimental
    known = operands()
    table = {
        f"{a} {b}": str((known[a] + known[b]).dtype).removeprefix("torch.")
        for a, b in product(known, known)
        if isinstance(known[a], torch.Tensor)
    }
    TARGET.write_text(json.dumps(table, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
