"""``np.repeat``, ``np.bincount`` and ``np.tile`` as NumPy has them: where they are, and nowhere else.

NumPy adds their counts up in 64 bits, without a look at what does not fit. `bounded_counts` looks; who needs NumPy's own says here
how many there are in the module, and why no count of a program's comes there.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from gradflow.engine.run import run

ROOT: Final = Path(__file__).parents[3]
RAW: Final = ("repeat", "bincount", "tile")
BOUNDED: Final = "engine/numerics/bounded_counts.py"
LOOKED_AT: Final = {
    "engine/recording/values.py": 1,  # places in a histogram, below the number of its bins
}


def raw_counts(tree: ast.AST) -> Iterator[int]:
    """The lines that name one of them."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=name) if name in RAW:
                yield node.lineno
            case ast.ImportFrom(module="numpy", names=names) if any(each.name in RAW for each in names):
                yield node.lineno


def test_counts_go_through_the_check() -> None:
    found: Counter[str] = Counter()
    for part in ("engine", "backend"):
        for path in sorted((ROOT / part).rglob("*.py")):
            found[str(path.relative_to(ROOT))] += len(list(raw_counts(ast.parse(path.read_text(encoding="utf-8")))))
    assert {path: count for path, count in found.items() if count and path != BOUNDED} == LOOKED_AT


@pytest.mark.parametrize("text", ["np.repeat(x, n)", "f = np.tile", "from numpy import bincount", "numpy.bincount(x)"])
def test_a_raw_count_is_seen(text: str) -> None:
    assert len(list(raw_counts(ast.parse(text)))) == 1


@pytest.mark.parametrize("text", ["repeat(x, n)", "x.repeat(2)", "bounded_counts.tile(x, 2)", "np.where(x)"])
def test_what_is_none_is_not_seen(text: str) -> None:
    assert list(raw_counts(ast.parse(text))) == []


@pytest.mark.parametrize(
    "crow",
    [
        "[0, 2**62, -2**63, -2**62, 0, 1]",  # each difference is 2**62 or 1 in 64 bits, and their sum is 1
        "[0, 2**63 - 1, -2**63, 0, 0, 1]",
        "[0, -1, 0, 0, 0, 1]",
        "[0, 2, 1, 1, 1, 1]",
        "[0, 1, 0, 1, 1, 1]",
    ],
)
def test_rows_begin_one_after_the_other(crow: str) -> None:
    trace = run(
        f"import torch\ntorch.sparse_csr_tensor(torch.tensor({crow}), torch.tensor([0]), torch.tensor([1.0]), size=(5, 1))"
    )
    assert trace.error is not None
    message = "`0 <= crow_indices[..., 1:] - crow_indices[..., :-1] <= ncols` is not satisfied."
    assert (trace.error.type, trace.error.message) == ("RuntimeError", message)
