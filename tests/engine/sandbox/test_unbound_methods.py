"""What a class shows of itself, functions and properties, works on objects of that class only, whichever way it is read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from gradflow.backend.jail import unconfined
from gradflow.engine.namespace.layers.linear import Linear
from gradflow.engine.run import run

ROOT: Final = Path(__file__).parents[3]
PRELUDE: Final = """
import collections, configparser, fractions, statistics
import torch
from torch import nn
class L(nn.Linear): pass
class O(torch.optim.SGD): pass
class P(torch.Tensor): pass
class Q(nn.Parameter): pass
class U(collections.UserDict): pass
class Fake:
    _a = _parser = _mu = _sigma = 'x'
class Z: pass
"""
FUNCTIONS: Final = """
super(L, L).forward(Fake(), torch.ones(2))
super(L, L).train(nn.Linear, True)
super(L, L).register_buffer(Fake(), 'name', torch.ones(1))
super(L, L).load_state_dict(nn.Linear, {})
super(O, O).step(Fake())
super(P, P).add(Fake(), 1)
super(Q, Q).add(Fake(), 1)
super(U, U).update(Fake(), a=1)
super(type('M', (L,), {}), L).forward(Fake(), torch.ones(2))
""".strip().splitlines()
PROPERTIES: Final = """
torch.Tensor.shape
torch.Tensor.data
torch.Tensor.grad
P.shape
super(P, P).shape
super(Q, Q).data
nn.Parameter.data
configparser.ConfigParser.optionxform
statistics.NormalDist.mean
fractions.Fraction.numerator
torch.Tensor.data.deleter(lambda self: None)
""".strip().splitlines()


@pytest.mark.parametrize("call", FUNCTIONS)
def test_a_function_of_a_base_takes_objects_of_its_class_only(call: str) -> None:
    error = run(PRELUDE + call).error
    assert error is not None
    assert error.type == "TypeError"
    assert "training" not in vars(Linear)


@pytest.mark.parametrize("found", PROPERTIES)
@pytest.mark.parametrize("use", ["Z().s", "Z().s = torch.ones(2)"])
def test_a_property_works_in_no_class_of_the_program(found: str, use: str) -> None:
    error = run(f"{PRELUDE}Z.s = {found}\nz = Z()\nz._a = z._parser = z._mu = z._values = 'x'\n{use}").error
    assert error is not None
    assert error.type in ("TypeError", "AttributeError")
    assert "requires a" in error.message or "no setter" in error.message, error.message


def test_where_it_belongs_it_works() -> None:
    program = """
class K:
    @property
    def own(self): return 5
Z.own = K.own
class M(P):
    alias = torch.Tensor.shape
    @property
    def lengths(self): return super().shape
m = M([1., 2.])
l = L(2, 3)
print(Z().own, m.alias, m.lengths, M.alias is M.alias, isinstance(torch.Tensor.shape, property), torch.Tensor.shape.__doc__)
print(super(L, L).forward(l, torch.ones(2)).shape, super(L, L).train(l, False).training)
"""
    trace = run(PRELUDE + program)
    assert trace.error is None
    assert trace.stdout == (
        "5 torch.Size([2]) torch.Size([2]) True True The lengths of the dimensions.\ntorch.Size([3]) False\n"
    )


LIBRARY: Final = """
np.random.Generator.shuffle(Fake(), [1])
np.random.Generator.shuffle(b'a' * 600, np.arange(9))
np.random.Generator.integers(Fake(), 3)
np.random.Generator.spawn(Fake(), 3)
np.random.RandomState.seed(Fake(), 3)
np.random.RandomState.shuffle(Fake(), [1])
np.random.BitGenerator.spawn(Fake(), 1)
np.random.SeedSequence.spawn(Fake(), 1)
np.random.PCG64.spawn(Fake(), 1)
np.random.Generator.normal()
np.random.Generator.normal(loc=1)
super(np.random.Generator, np.random.Generator).shuffle(Fake(), [1])
logging.LoggerAdapter.info(Fake(), 'text')
logging.LoggerAdapter.log(Fake(), 20, 'text')
Z.s = logging.LoggerAdapter.info; Z().s('text')
Z.s = np.random.Generator.normal; Z().s(1)
""".strip().splitlines()


def test_a_method_of_a_library_takes_objects_of_its_class_only() -> None:
    """Cython's do not ask, and read the memory of what they are given."""
    tried = [
        f"try:\n    {call}\n    print({call!r})\nexcept (TypeError, AttributeError): print('refused')"
        for call in LIBRARY
    ]
    trace = unconfined.run("\n".join([PRELUDE, "import logging", "import numpy as np", *tried]))
    assert trace.error is None
    assert trace.stdout == "refused\n" * len(LIBRARY)


def test_what_a_library_computes_once_is_written_into_no_other_object() -> None:
    program = "import numpy as np\nZ.s = np.finfo.resolution\nz = Z()\nz.precision = 3\ntry: print(z.s)\nexcept TypeError as e: print(e)\nprint(z.__dict__)"
    assert run(PRELUDE + program).stdout.endswith("but received a 'Z'\n{'precision': 3}\n")


def test_methods_of_libraries_work_where_they_belong() -> None:
    program = """
import logging
import numpy as np
r, x = np.random.default_rng(1), [1, 2, 3, 4]
np.random.Generator.shuffle(r, x)
print(x, np.random.Generator.integers(r, 9), len(np.random.Generator.spawn(r, 2)), np.finfo(np.float32).resolution)
print(np.random.SeedSequence.spawn(np.random.SeedSequence(3), 1)[0].spawn_key, len(np.random.RandomState.rand(np.random.RandomState(2), 3)))
logging.LoggerAdapter.warning(logging.LoggerAdapter(logging.getLogger("a"), {}), "told")
print(torch.distributions.Binomial.support.is_discrete)
"""
    trace = run(PRELUDE + program)
    assert trace.error is None, trace.error
    assert trace.stdout.startswith("[1, 2, 3, 4] 0 2 1e-06\n(0,) 3\n"), trace.stdout


def test_whatever_a_class_shows_survives_objects_of_others() -> None:
    """Each is called with them, in a process of its own."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    command = [sys.executable, "-m", "tests.engine.sandbox.shown_classes"]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 100_000
