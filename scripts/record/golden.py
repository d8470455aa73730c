"""Record what PyTorch 2.13 makes of the golden programs: examples/ and tests/golden/programs/.

    python -m scripts.record.golden [PROGRAM ...]

Without names, as `autograd/views/written.py`, all; with names the others keep what is recorded of them.

Each program runs in a process of its own, forked after the import of PyTorch. Of each are recorded: what it printed,
the exception that ended it, its warnings, and the `.grad` of every leaf that has a name. The output,
tests/golden/records/<group>.json, depends only on the programs and on PyTorch, and not on the processor: every program
runs once for each of the `kernels`, and where their last digits differ, the record says so. See tests/golden/agreement.py.
An outcome with which all runs agree stays as it is recorded.

Under another Python than `FIRST_PYTHON`, only what differs there is recorded, for that version and later ones.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import math
import multiprocessing
import os
import subprocess
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import torch
import torch._dynamo  # which many programs import: once here, instead of in each process

from tests.golden.agreement import TEXTS, as_text, disagreements, widened, words
from tests.golden.cases import Case, cases, load_records, of_this_python, outcome, python_version, record_path

VERSION = "2.13.0"
FIRST_PYTHON = "3.11"
ONLY_RUN = "--run"
"""The argument by which a process is told to run the programs and print their outcomes."""


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
    main = sys.modules["__main__"] = types.ModuleType("__main__")  # where unittest and pickle look
    stdout, names, error = io.StringIO(), vars(main), None
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


def kernels() -> Iterator[dict[str, str]]:
    """What tells PyTorch and its libraries which instructions to use. By the first, the texts are recorded."""
    if torch.cpu._is_avx2_supported():
        yield {"ATEN_CPU_CAPABILITY": "avx2"}
    yield {"ATEN_CPU_CAPABILITY": "default"}
    if torch.cpu._is_avx512_supported():
        yield {"ATEN_CPU_CAPABILITY": "avx512"}
        yield {"MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell"}
    yield {"MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "ONEDNN_MAX_CPU_ISA": "SSE41", "OPENBLAS_CORETYPE": "Nehalem"}
    yield {"MKL_CBWR": "COMPATIBLE", "OPENBLAS_CORETYPE": "Prescott"}


def chosen(arguments: list[str]) -> list[Case]:
    """The programs to be run: those that are named, or all."""
    names = {argument for argument in arguments if argument != ONLY_RUN}
    unknown = names - {case.id for case in cases()}
    if unknown:
        raise SystemExit(f"no such programs: {', '.join(sorted(unknown))}")
    return [case for case in cases() if not names or case.id in names]


def run_all(programs: list[Case]) -> dict[str, Any]:
    """What PyTorch does with each program, by `Case.id`."""
    torch.set_num_threads(1)
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        return dict(zip([case.id for case in programs], pool.map(record, programs, chunksize=1), strict=True))


def run_with(environment: dict[str, str]) -> dict[str, Any]:
    """`run_all` in a process that is started with this environment."""
    print(*(f"{name}={value}" for name, value in environment.items()), flush=True)
    command = [sys.executable, "-m", "scripts.record.golden", ONLY_RUN, *sys.argv[1:]]
    output = subprocess.run(command, env=os.environ | environment, stdout=subprocess.PIPE, check=True).stdout
    outcomes: dict[str, Any] = json.loads(output)
    return outcomes


def settled(outcomes: list[dict[str, Any]], known: dict[str, Any] | None) -> dict[str, Any]:
    """What to record of a program: what is known, while all outcomes agree with it; else the first, and what varies."""
    if known is not None and not any(list(disagreements(each, of_this_python(known))) for each in outcomes):
        return known
    first, *others = outcomes
    earlier = (known or {}).get("varies", {})
    varies: dict[str, Any] = {}
    for field in TEXTS:
        text, *rest = (as_text(each[field]) for each in outcomes)
        differing = [each for each in rest if each != text]
        assert {words(text)} == {words(each) for each in [text, *differing]}, f"words vary: {text}"
        ranges = earlier.get(field) if words(as_text((known or first)[field])) == words(text) else None
        if differing or ranges:
            varies[field] = widened(ranges or {}, text, differing)
    new = {**first, "varies": varies} if varies else first
    remaining = [each for other in others for each in disagreements(other, new)]
    assert not remaining, remaining
    if known is None:
        return new
    if python_version() != FIRST_PYTHON:
        return with_variant(known, new)
    kept = "python" in known and all(new[field] == known[field] for field in TEXTS)
    return {**new, "python": known["python"]} if kept else new


def with_variant(known: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """A record with what differs under this version of Python."""
    fields = (*TEXTS, "grads")
    different = {field: new[field] for field in fields if list(disagreements(known | {field: new[field]}, known))}
    if different and "varies" in new:
        different["varies"] = new["varies"]
    return {**known, "python": {**known.get("python", {}), python_version(): different}}


def main() -> None:
    check_version()
    if ONLY_RUN in sys.argv[1:]:
        json.dump(run_all(chosen(sys.argv[1:])), sys.stdout)
        return
    runs = [run_with(environment) for environment in kernels()]
    known = load_records()
    groups: dict[str, dict[str, Any]] = {}
    for case in cases():
        recorded = known.get(case.group, {}).get(case.name)
        outcomes = [run[case.id] for run in runs if case.id in run]
        if outcomes or recorded is not None:
            groups.setdefault(case.group, {})[case.name] = settled(outcomes, recorded) if outcomes else recorded
    for group, results in groups.items():
        lines = [f"{json.dumps(name)}: {json.dumps(result)}" for name, result in sorted(results.items())]
        target = record_path(group)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        print(f"{group}: {len(results)} programs")


if __name__ == "__main__":
    main()
