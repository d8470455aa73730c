"""Passes, zeroing, writes, steps and prints come in PyTorch's order, and leaves have PyTorch's values over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradflow.engine.run import run
from gradflow.engine.trace import Event, Trace
from tests.oracle.torch_events import Recording

PROGRAMS = sorted(Path(__file__).parent.joinpath("programs").rglob("*.py"))


def told(trace: Trace, event: Event, known: set[str]) -> tuple[Any, ...] | None:
    """An event as the recording tells it; None for one that it does not tell."""
    names = {t.id: next((name for name in t.names if name in known), "") for t in trace.tensors}
    match event:
        case {"kind": "pass"}:
            return ("pass",)
        case {"kind": "print", "text": text}:
            return ("print", text)
        case {"kind": "step", "optimizer": optimizer, "tensors": tensors}:
            return ("step", optimizer, sorted(names[t] for t in tensors))
        case {"kind": "zero", "tensors": tensors, "to": to}:
            return ("zero", sorted(names[t] for t in tensors), to)
        case {"kind": "write", "tensor": tensor, "of": of} if names[tensor] and changes(trace, event):
            return ("write" if of == "value" else "write grad", names[tensor])
    return None


def changes(trace: Trace, event: Any) -> bool:
    """Whether a write gave other values than before: clipping a short gradient writes it as it is."""
    written = next(t for t in trace.tensors if t.id == (event["grad"] or event["tensor"]))
    before, after = event["before"], event["after"]
    return before is None or written.versions[before].value != written.versions[after].value


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_run_is_told_in_pytorchs_order(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    expected, trace = Recording(source), run(source)
    assert trace.error is None
    found = [one for event in trace.events if (one := told(trace, event, set(expected.values))) is not None]
    assert [one[0] for one in found] == [one[0] for one in expected.events]
    assert [one for one in found if one[0] != "print"] == [one for one in expected.events if one[0] != "print"]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_leaf_has_pytorchs_values_over_time(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    expected, trace = Recording(source), run(source, max_elements=4096)
    assert expected.values
    for name, values in expected.values.items():
        (leaf,) = [t for t in trace.tensors if name in t.names and t.is_leaf]
        found = [version.value.data for version in leaf.versions] or [leaf.value.data]
        assert len(found) == len(values), name
        for mine, theirs in zip(found, values, strict=True):
            np.testing.assert_allclose(np.array(mine), theirs.numpy().reshape(-1), rtol=2e-4, atol=2e-6, err_msg=name)
