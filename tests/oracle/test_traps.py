"""The traps and what mends them, under PyTorch: neither raises, and so the trap is one there, too."""

from __future__ import annotations

import contextlib
import io
import warnings

import pytest

from tests.support.traps import TrapExample, trap_examples

EXAMPLES = [example for example in trap_examples() if not example.source.startswith("%")]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.code}:{example.source[-30:]!r}")
def test_a_trap_raises_nothing_mended_or_not(example: TrapExample) -> None:
    for source in filter(None, (example.source, example.fixed)):
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(source, "program", "exec"), {"__name__": "__main__"})
