"""Record what PyTorch 2.13 makes of the golden programs: examples/ and tests/golden/programs/.

    python -m scripts.record.golden

Each program runs in a process of its own, forked after the import of PyTorch. Of each are recorded: what it printed,
the exception that ended it, its warnings, and the `.grad` of every leaf that has a name. The output,
tests/golden/records/<group>.json, depends only on the programs and on PyTorch.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import math
import multiprocessing
import warnings
from typing import Any

import torch

from tests.golden.cases import Case, cases, outcome, record_path

VERSION = "2.13.0"


def check_version() -> None:
    if torch.__version__.split("+")[0] != VERSION:
        raise SystemExit(f"needs PyTorch {VERSION}, this is {torch.__version__}")


def number(value: complex) -> complex | str:
    if isinstance(value, complex):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def value_of(tensor: torch.Tensor | None) -> dict[str, Any] | None:
    if tensor is None:
        return None
    data = [number(value) for value in tensor.detach().flatten().tolist()]
    return {"shape": list(tensor.shape), "dtype": str(tensor.dtype).removeprefix("torch."), "data": data}


def is_differentiable_leaf(tensor: torch.Tensor) -> bool:
    """A view whose base was written may refuse to say."""
    try:
        return tensor.is_leaf and tensor.requires_grad
    except RuntimeError:
        return False


def leaf_grads(names: dict[str, Any]) -> dict[str, Any]:
    leaves = {name: x for name, x in names.items() if isinstance(x, torch.Tensor) and is_differentiable_leaf(x)}
    return {name: value_of(leaf.grad) for name, leaf in sorted(leaves.items())}


def title(kind: type[BaseException]) -> str:
    """The name of an exception as the last line of a traceback has it."""
    inside = kind.__module__ in ("builtins", "__main__")
    return kind.__qualname__ if inside else f"{kind.__module__}.{kind.__qualname__}"


def execute(source: str, filename: str) -> dict[str, Any]:
    """Run a program under PyTorch and give its outcome."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    stdout, names, error = io.StringIO(), {"__name__": "__main__"}, None
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(stdout):
        warnings.simplefilter("always")
        try:
            exec(compile(source, filename, "exec"), names)
        except Exception as exception:
            error = (title(type(exception)), str(exception))
    shown = [w for w in caught if w.category is not DeprecationWarning or w.filename == filename]
    warned = [(warning.category.__name__, str(warning.message)) for warning in shown]
    return outcome(stdout.getvalue(), error, warned, leaf_grads(names))


def record(case: Case) -> dict[str, Any]:
    torch.set_warn_always(True)  # else what warned before the fork is silent here
    return execute(case.source, case.path.name)


def main() -> None:
    check_version()
    torch.set_num_threads(1)
    programs = cases()
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        outcomes = pool.map(record, programs, chunksize=1)
    groups: dict[str, dict[str, Any]] = {}
    for case, result in zip(programs, outcomes, strict=True):
        groups.setdefault(case.group, {})[case.name] = result
    for group, results in groups.items():
        lines = [f"{json.dumps(name)}: {json.dumps(result)}" for name, result in sorted(results.items())]
        target = record_path(group)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        print(f"{group}: {len(results)} programs")


if __name__ == "__main__":
    main()
