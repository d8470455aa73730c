"""Names and texts of a class of the program's, which are taken for one when they are checked and for another when they are used, and
other things that are not what a function of the engine takes them for."""

from __future__ import annotations

import pytest

from gradflow.engine import preload  # noqa: F401  # all that is allowed is entered by then
from gradflow.engine.run import run

LYING = """
class Name(str):
    def __new__(cls, text, seen):
        self = super().__new__(cls, text)
        self.seen = seen
        return self
    def __hash__(self):
        return hash(str.__str__(self) if self.seen is None else self.seen)
    def __eq__(self, other):
        if self.seen is not None:
            if other != self.seen:
                return False
            self.seen = None
            return True
        return str.__eq__(self, other)
"""
EVERY = """
class Name(str):
    __hash__ = str.__hash__
    def __eq__(self, other): return True
    def __ne__(self, other): return False
"""


def told(source: str) -> str:
    """What a program printed, and the error that ended it."""
    trace = run(source)
    error = "" if trace.error is None else f"{trace.error.type}: {trace.error.message}"
    return trace.stdout + error


@pytest.mark.parametrize(
    "call",
    [
        "probe(**{Name('a', 'b'): 1})",
        "functools.partial(probe, **{Name('a', 'b'): 1})()",
        "kept = functools.partial(probe, c=1)\nkept.keywords[Name('a', 'b')] = 1\nkept()",
        "operator.methodcaller('probe', **{Name('a', 'b'): 1})(Owner)",
        "thread = threading.Thread(target=probe, kwargs={Name('a', 'b'): 1})\nthread.start()\nthread.join()",
        "probe(**collections.UserDict({Name('a', 'b'): 1}))",
        "torch.func.functional_call(Model(), {}, (), {Name('a', 'b'): 1})",
        "multiprocessing.Pool().apply_async(probe, (), {Name('a', 'b'): 1}).get()",
        "model = Model()\nmodel.register_forward_pre_hook(lambda *_: ((), {Name('a', 'b'): 1}), with_kwargs=True)\nmodel()",
        "own = Own([torch.ones(1)], {})\nown.register_step_pre_hook(lambda *_: ((own,), {Name('a', 'b'): 1}))\nown.step()",
    ],
)
def test_a_keyword_is_an_exact_text(call: str) -> None:
    source = (
        f"import collections, functools, multiprocessing, operator, threading, torch\n{LYING}"
        "def probe(**named): print([type(name).__name__ for name in named])\n"
        "class Owner: probe = staticmethod(probe)\n"
        "class Model(torch.nn.Module):\n    def forward(self, **named): probe(**named)\n"
        "class Own(torch.optim.Optimizer):\n    def step(self, **named): probe(**named)\n"
    )
    assert told(source + call) == "['str']\n"


def test_what_is_no_mapping_is_refused_in_the_words_of_python() -> None:
    expected = "TypeError: __main__.f() argument after ** must be a mapping, not int"
    assert told("import torch\ndef f(**named): pass\nf(**3)") == expected
    twice = "TypeError: __main__.f() got multiple values for keyword argument 'a'"
    assert told("import torch\ndef f(**named): pass\nf(a=1, **{'a': 2})") == twice


@pytest.mark.parametrize(
    ("source", "refused"),
    [
        (
            f"import argparse\n{LYING}argparse.ArgumentParser(**{{Name('fromfile_prefix_chars', 'usage'): '@'}})",
            "ArgumentParser(fromfile_prefix_chars=...)",
        ),
        (
            f"import argparse\n{LYING}argparse.ArgumentParser().add_argument('c', **{{Name('action', 'help'): 'parsers'}})",
            "none of the library's names",
        ),
        (
            f"import numpy as np\n{LYING}np.set_printoptions(**{{Name('override_repr', 'precision'): print}})",
            "override_repr",
        ),
        (
            f"import torch.nn as nn\n{EVERY}nn.TransformerDecoderLayer(4, 2, activation=Name('__builtins__'))",
            "activation should be relu/gelu",
        ),
    ],
)
def test_a_text_is_checked_as_what_it_is_used_as(source: str, refused: str) -> None:
    assert refused in told(source)


FILLED = (
    "from torch.distributions import Normal\nclass Mine(Normal): pass\nd = Mine(torch.tensor(0.), torch.tensor(1.))\n"
)
LAZY = "class T(torch.Tensor): pass\nclass L(nn.LazyLinear):\n    cls_to_become = T\n    def initialize_parameters(self, x): pass\n"
FAKE = "class Fake:\n    _forward_pre_hooks = {}\n    _parameters = {'x': torch.ones(2, 2)}\n"


@pytest.mark.parametrize(
    ("source", "refused"),
    [
        ("import numpy as np\nnp.ones(2).__array__(object)", "dtype object"),
        ("torch.ones(2).__array__(object)", "dtype object"),
        ("torch.dtype('object', 'O', 2, 'Float')", "cannot create 'torch.dtype' instances"),
        ("torch.memory_format('x', (0,))", "cannot create 'torch.memory_format' instances"),
        ("torch.layout('x')", "cannot create 'torch.layout' instances"),
        ("nn.utils.parametrize.register_parametrization(nn.Identity, 'x', nn.Identity())", "of a Module"),
        ("nn.UninitializedBuffer('O')", "must be torch.dtype"),
        (f"{FILLED}d.expand((2,), torch.ones(2))", "expects a Distribution"),
        (f"{LAZY}L(2)(torch.ones(1, 2))", "a lazy module becomes one of the modules"),
        (f"{FAKE}nn.utils.spectral_norm(Fake, 'x', dim=0)", "is not a Module"),
        (f"{FAKE}nn.utils.weight_norm(Fake(), 'x')", "is not a Module"),
        (f"{FAKE}nn.utils.remove_spectral_norm(Fake(), 'x')", "is not a Module"),
        ("import logging\nlogging.LogRecord({'__array_interface__': {}})", "Attempt to overwrite"),
    ],
)
def test_what_is_not_what_it_is_taken_for_is_refused(source: str, refused: str) -> None:
    assert refused in told(f"import torch\nfrom torch import nn\n{source}")


def test_a_lazy_property_is_not_written_into_a_tensor() -> None:
    source = (
        "import torch\nfrom torch.distributions.utils import lazy_property\nmade = lazy_property(lambda self: 'a text')\n"
        "class First: _a = made\nclass T(torch.Tensor): x = made\nt = T([1.0])\nprint(t.x, t.dtype)"
    )
    assert told(source) == "a text torch.float32\n"


def test_a_format_gets_a_copy_of_what_a_record_knows() -> None:
    source = """
import logging, numpy as np
class Text(str):
    def __mod__(self, known):
        known["__array_interface__"] = {}
        return "mine"
class F(logging.Formatter): pass
class H(logging.Handler):
    def emit(self, record):
        f = F(Text("%(message)s!"))
        print(f.format(record), hasattr(record, "__array_interface__"))
log = logging.getLogger("x")
log.addHandler(H())
log.warning("hello")
"""
    assert told(source) == "hello! False\n"
