"""What classes and modules of libraries keep for all runs: a program has copies, and what it does to them ends with its run."""

from __future__ import annotations

from typing import Any

import pytest

from gradflow.engine.run import run
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.rules import READABLE, RULES
from tests.engine.sandbox.shown_classes import CHANGING, attributes, module_members, shown_classes

OWN_IN_OBJECTS = {"domain", "window"}
"""Names of such constants that objects show, too: those of a series are its own from the beginning."""


def _kept(kind: type, name: str) -> Any:
    return next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)


def test_no_class_shows_what_could_be_changed() -> None:
    shown = [f"{kind}.{name}" for kind, name, found in attributes() if _is_kept(kind, name, found)]
    assert shown == []


def _is_kept(kind: type, name: str, found: Any) -> bool:
    return isinstance(found, CHANGING) and any(found is vars(each).get(name) for each in kind.__mro__)


def test_no_object_does() -> None:
    read = {(kind, name) for kind in shown_classes() for name in READABLE.get(kind, ())}
    assert {name for kind, name in read if isinstance(_kept(kind, name), CHANGING)} <= OWN_IN_OBJECTS


def test_classes_in_classes_are_those_that_programs_have() -> None:
    """Not the engine's own, which take what they are given as it is."""
    found = [(kind, name, value) for kind, name, value in attributes() if isinstance(value, type) and name[0] != "_"]
    assert [each for each in found if each[2] not in RULES and not gate.is_open(each[2])] == []


def test_no_module_does() -> None:
    first, second = ({name: value for name, value in module_members() if isinstance(value, CHANGING)} for _ in "ab")
    assert first.keys() == second.keys() >= {"hashlib.algorithms_guaranteed", "numpy.polynomial.polynomial.polyx"}
    assert [name for name, value in first.items() if value is second[name]] == []


HEAD = "import hashlib, torch\nimport numpy as np\nfrom torch import nn\nP = np.polynomial.polynomial\n"
LATER = """
print(sorted(hashlib.algorithms_guaranteed)[:3], len(hashlib.algorithms_available) > 3)
print(P.polydomain, P.polyzero, P.polyone, P.polyx, np.polynomial.Polynomial.identity())
p = np.polynomial.Chebyshev([1, 2, 3])
print(p(0.5), p.domain, p.window, p.identity().domain, np.polynomial.Chebyshev.basis(2).window)
print(type(nn.Parameter(torch.ones(2))), nn.Parameter(torch.ones(2, device="meta")))
"""


@pytest.mark.parametrize(
    "change",
    [
        "hashlib.algorithms_available.clear(); hashlib.algorithms_guaranteed.add('mine')",
        "np.polynomial.Chebyshev.domain[:] = [5, 6]; np.polynomial.Chebyshev.window[:] = [0, 9]",
        "np.polynomial.Chebyshev([1, 2]).domain[:] = 7; np.polynomial.Chebyshev([1, 2]).window.fill(7)",
        "np.polynomial.Chebyshev.basis(3).domain[:] = 7; np.polynomial.Chebyshev.identity().window[:] = 7",
        "np.polynomial.Chebyshev.fit([1, 2, 3], [1, 4, 9], 2, domain=[]).domain[:] = 7",
        "p = np.polynomial.Chebyshev([1, 2]); (p + p).domain[:] = 7; p.deriv().domain[:] = 7; p.copy().domain[:] = 7",
        "np.polynomial.Polynomial([1]).convert(kind=np.polynomial.Chebyshev).domain[:] = 7",
        "for part in (P.polydomain, P.polyzero, P.polyone, P.polyx): part[:] = 77",
        "nn.Parameter.kinds[torch.Tensor] = dict",
        "list(nn.Parameter.kinds)[0]",
        "nn.Parameter.kinds.clear()",
    ],
)
def test_what_a_program_changes_ends_with_it(change: str) -> None:
    before = run(HEAD + LATER)
    assert before.error is None
    run(HEAD + change)
    assert run(HEAD + LATER).stdout == before.stdout


def test_within_a_run_modules_keep_what_was_written() -> None:
    trace = run(
        HEAD + "P.polyx[0] = 5\nhashlib.algorithms_guaranteed.clear()\nprint(P.polyx, hashlib.algorithms_guaranteed)"
    )
    assert trace.stdout == "[5 1] set()\n"
