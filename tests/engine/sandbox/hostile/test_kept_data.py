"""What Python's library and the engine keep in their objects is theirs: no class, no mixin and no late write of a program's gives it."""

from __future__ import annotations

from typing import Final

import pytest

from gradflow.engine.run import run

PRELUDE: Final = """
import collections, dataclasses, functools, io, logging, queue, unittest
import torch, torch.distributions as D
from torch import nn
from torch.distributions import constraints, transforms
class Mix: pass
class Other: pass
class More(Mix): pass
class T(More, unittest.TestCase):
    def test(self): pass
class X(More, torch.Tensor): pass
"""
REFUSED: Final = """
Mix._outcome = property(lambda self: 5)
---
More._testMethodName = '__reduce__'
---
T._cleanups = []
---
setattr(T, '_subtest', property(lambda self: 5))
---
T('test')._outcome = 5
---
vars(T('test'))['_type_equality_funcs'] = {}
---
class S(unittest.TestCase):
    _outcome = property(lambda self: 5)
---
class Z:
    _testMethodName = '__reduce__'
class S(Z, unittest.TestCase): pass
---
class Z:
    __slots__ = ('_outcome',)
class S(Z, unittest.TestCase): pass
---
type('S', (unittest.TestCase,), {'_cleanups': ()})
---
@dataclasses.dataclass(eq=False)
class S(unittest.TestCase):
    _outcome: object
---
class S(unittest.TestCase):
    def __init__(self): pass
    def __getattr__(self, name): return '__reduce__'
S().run()
---
class S(logging.Handler): pass
S()._kept_formatter = '{0.getMessage.__globals__}'
---
class S(logging.Handler):
    _kept_formatter = '{0.getMessage.__globals__}'
---
class S(logging.Handler):
    def __init__(self): pass
    def __getattr__(self, name): return '{0.getMessage.__globals__}'
S().format(5)
---
logging.Handler().setFormatter('{0.getMessage.__globals__}')
---
class S(Mix, logging.StreamHandler): pass
Mix._kept_stream = property(lambda self: 5)
---
class S(logging.Formatter):
    _kept_text = '%s'
---
class S(queue.Queue): pass
waiting = S()
waiting.queue = '{0.__class__}'
waiting.put(1)
---
waiting = queue.Queue()
waiting.queue = nn.ModuleList
waiting.put(nn.Linear(1, 1))
---
class S(queue.Queue, torch.Tensor): pass
---
class S(queue.Queue, io.StringIO): pass
---
next(iter(nn.LazyLinear(1)._forward_pre_hooks.values())).__globals__
---
next(iter(nn.LazyLinear(1)._forward_pre_hooks.values())).__call__.__func__
---
next(iter(nn.LazyLinear(1)._forward_pre_hooks.values())).mark = 1
---
layer = nn.LazyLinear(1)
hook = next(iter(layer._forward_pre_hooks.values()))
layer(torch.ones(1, 1))
hook(layer, (torch.ones(1, 1),))
---
class M(nn.Module): pass
m = M()
m._parameters['_set_registered'] = nn.Parameter(torch.ones(1))
m.load_state_dict(m.state_dict(), assign=True)
---
Mix._a = 5
---
Mix._node = property(lambda self: 5)
---
More.shape = property(lambda self: (9,))
---
setattr(Mix, 'relu', lambda self: 5)
---
Mix.__add__ = lambda self, other: 5
---
functools.total_ordering(Mix)
---
dataclasses.dataclass(Mix)
---
X([1.])._a = 5
---
vars(X([1.]))['_st'] = 5
---
found = functools.cached_property(lambda self: 5)
class Z:
    _a = found
Mix.other = found
X([1.]).other
---
@dataclasses.dataclass
class Z:
    value: int = 1
class S(Z, torch.Tensor): pass
---
class Z:
    _st = 1
class S(Z, torch.Tensor): pass
---
class Z:
    def __lt__(self, other): return 5
class S(Z, torch.Tensor): pass
---
class Z:
    def __eq__(self, other): return 5
class S(torch.Tensor, Z): pass
---
class Z:
    def __getattr__(self, name): return 5
class S(Z, torch.Tensor): pass
---
class Z:
    __slots__ = ('_a',)
class S(Z, torch.Tensor): pass
---
class Z:
    def mean(self): return 5
class S(Z, nn.Parameter): pass
---
class Z:
    def __torch_function__(*given): return 5
class S(Z, nn.Parameter): pass
---
class Kind(type): pass
class Z(metaclass=Kind): pass
class S(Z, torch.Tensor): pass
---
class Named:
    def __set_name__(self, owner, name): owner._a = 5
class Z:
    named = Named()
class S(Z, torch.Tensor): pass
---
class Z:
    def __init_subclass__(cls): Z._a = 5
class S(Z, torch.Tensor): pass
---
class Z(nn.Module): pass
class S(Z, torch.Tensor): pass
""".strip().split("\n---\n")
UNHEARD: Final = """
class S(type(constraints.positive)):
    _bounds = _excluded = bounds = ('__class__', '_a')
print(S(1.0).check(torch.tensor([0.0, 2.0])))
=====
tensor([False,  True])
---
class S(Other, transforms.AffineTransform): pass
Other._settings = Other.settings = ('__init__', '__dict__')
print(S(0.0, 2.0).with_cache(1)(torch.ones(1)))
=====
tensor([2.])
---
class S(Other, D.HalfNormal): pass
Other._base = Other.base = print
print(S(1.0).mean)
=====
tensor(0.7979)
---
class S(Other, D.MultivariateNormal): pass
Other._fixed = Other.fixed = property(lambda self: print)
print(S(torch.zeros(2), torch.eye(2)).expand((2,)).mean)
=====
tensor([[0., 0.],
        [0., 0.]])
---
class S(Other, transforms.StickBreakingTransform): pass
Other._longer = Other.longer = 5
print(S().forward_shape((3,)))
=====
torch.Size([4])
""".strip().split("\n---\n")


@pytest.mark.parametrize("program", REFUSED)
def test_nobody_else_gives_it(program: str) -> None:
    error = run(PRELUDE + program).error
    assert error is not None
    assert error.code != "internal"
    assert error.type in ("AttributeError", "RuntimeError", "TypeError", "ValueError"), error.message


@pytest.mark.parametrize("program", UNHEARD)
def test_the_engine_reads_its_own_classes(program: str) -> None:
    source, _, expected = program.partition("\n=====\n")
    trace = run(PRELUDE + source)
    assert (trace.error, trace.stdout.strip()) == (None, expected)


def test_no_formatter_of_a_program_reads_past_the_gate() -> None:
    """A text in its place was asked for ``format`` with the record."""
    program = """
class S(logging.Handler):
    def emit(self, record): print(self.format(record))
handler = S()
handler._formatter = '{0.getMessage.__globals__}'
logger = logging.getLogger('x')
logger.addHandler(handler)
logger.error('shown')
"""
    trace = run(PRELUDE + program)
    assert (trace.error, trace.stdout) == (None, "shown\n")
