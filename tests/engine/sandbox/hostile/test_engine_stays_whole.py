"""Whatever a program hands to the engine, no function and no class of the engine is written."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Final

import pytest

import gradflow.engine.preload  # noqa: F401  # so that no program is the first to import something
from gradflow.engine.run import run

PRELUDE: Final = """
import contextlib, copy, dataclasses, functorch, io, types, unittest
import torch, torch.nn as nn, torch.nn.functional as F
import torch.nn.utils.parametrize as P
from torch.distributions import Normal, constraints
from torch.nn.utils import prune
"""
PROGRAMS: Final = """
from torch.optim import lr_scheduler as S
opt = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
plans = [S.ConstantLR(opt), S.ConstantLR(opt)]
class Plans(list):
    times = 0
    def __iter__(self):
        Plans.times += 1
        return list.__iter__(self) if Plans.times == 1 else iter([F.gelu, nn.Linear])
try: S.SequentialLR(opt, Plans(plans), [1])
except Exception as error: print(error)
F.gelu.last_epoch
---
class Two(tuple):
    times = 0
    def __iter__(self):
        Two.times += 1
        return tuple.__iter__(self) if Two.times == 1 else iter([Leads()] * 2)
class Leads:
    requires_grad, _a = False, torch.ones(1).numpy()
    def detach(self): return nn.Parameter
try: torch.autograd.functional.jacobian(lambda *x: x[0], Two([torch.ones(1), torch.ones(1)]))
except Exception as error: print(error)
raise ValueError
---
class Held:
    _a = torch.zeros(1).numpy()
    shape, requires_grad = (1,), 'anything'
class Leads:
    _held = nn.Parameter
class Table(dict):
    def items(self): return [('x', Held())]
    def __setitem__(self, name, value): pass
    def __getitem__(self, name): return Leads()
class Each:
    _parameters, _buffers, _modules = Table(), Table(), {}
class M(nn.Module):
    def modules(self): return [Each()]
    def named_modules(self, *given, **named): return [('', Each())]
    def children(self): return [Each()]
    def get_submodule(self, target): return Each()
try: M().to_empty(device='meta')
except Exception as error: print(error)
try: M().to_empty(device='cpu')
except Exception as error: print(error)
M().to('meta')
raise ValueError
---
class M(nn.Module):
    def modules(self): return [F.gelu, nn.Linear]
    def named_modules(self, *given, **named): return [('a', F.gelu), ('b', nn.Linear)]
    def children(self): return [F.gelu, nn.Linear]
    def named_children(self): return [('a', F.gelu), ('b', nn.Linear)]
    def parameters(self, *given): return [F.gelu, nn.Parameter]
    def named_parameters(self, *given, **named): return [('a', F.gelu), ('b', nn.Parameter)]
    def buffers(self, *given): return [F.gelu, nn.Parameter]
    def named_buffers(self, *given, **named): return [('a', F.gelu), ('b', nn.Parameter)]
    def get_submodule(self, target): return F.gelu
import torch.fx
from torch.optim.swa_utils import AveragedModel, update_bn
m, x = M(), torch.ones(1, 2)
for go in (m.half, m.requires_grad_, m.zero_grad, lambda: m.to('meta'), lambda: m.to_empty(device='cpu'), lambda: m.apply(print), m.train, m.eval,
           lambda: torch.func.functional_call(m, {'a': x}, x), lambda: functorch.make_functional(m, disable_autograd_tracking=True),
           lambda: AveragedModel(m).update_parameters(m), lambda: update_bn([x], m), lambda: nn.SyncBatchNorm.convert_sync_batchnorm(m),
           lambda: prune.is_pruned(m), lambda: nn.utils.vector_to_parameters(x, m.parameters()), lambda: nn.utils.clip_grad_norm_(m.parameters(), 1),
           lambda: torch.optim.SGD(m.parameters(), lr=1), lambda: torch.fx.symbolic_trace(m), lambda: m.load_state_dict({}), lambda: copy.deepcopy(m)):
    try: go()
    except Exception as error: print(error)
raise ValueError
---
import enum
class E(enum.Enum):
    def __new__(cls, value): return F.gelu
    A = 1
---
import enum
class Made:
    def __new__(cls, *given): return nn.Linear
class E(Made, enum.Enum):
    A = nn.Linear(1, 1), 2, 3
---
class E(nn.Embedding):
    weight = property(lambda self: F.gelu)
    def __setattr__(self, name, value):
        if name != 'weight': super().__setattr__(name, value)
    def reset_parameters(self): pass
E(3, 2)
raise ValueError
---
class B(nn.SyncBatchNorm):
    def __new__(cls, *given): return F.gelu
B.convert_sync_batchnorm(nn.BatchNorm1d(2))
---
class E(nn.EmbeddingBag):
    def __new__(cls, *given, **named): return types.SimpleNamespace(weight=F.gelu)
E.from_pretrained(torch.ones(2, 2))
---
m = nn.Linear(2, 2)
m._parameters['x'] = F.relu
functorch.make_functional(m, disable_autograd_tracking=True)
---
class M(prune.BasePruningMethod):
    def apply_mask(self, module): return torch.ones(2)
m = nn.Linear(2, 2)
m._parameters['w_orig'], m._buffers['w_mask'] = F.relu, 1
pruned = M()
pruned._tensor_name = 'w'
pruned.remove(m)
---
class M(prune.BasePruningMethod):
    PRUNING_TYPE = 'unstructured'
    def __new__(cls, *given, **named): return F.relu
M.apply(nn.Linear(2, 2), 'weight')
---
class M(prune.BasePruningMethod):
    PRUNING_TYPE = 'unstructured'
    def __new__(cls, *given, **named): return T
T = types.SimpleNamespace(PRUNING_TYPE='unstructured')
prune.global_unstructured([(nn.Linear(2, 2), 'weight')], M)
---
class D(Normal):
    def _get_checked_instance(self, cls, _instance=None): return F.relu
D(0.0, 1.0).expand((2,))
---
class Z(nn.LazyLinear):
    cls_to_become = nn.ParameterList
Z(1)(torch.ones(1, 1))
---
settle = next(iter(nn.LazyLinear(1)._forward_pre_hooks.values()))
class C:
    cls_to_become = nn.ParameterList
    def initialize_parameters(self): pass
c = C()
c._forward_pre_hooks, c._first = {0: 0}, types.SimpleNamespace(id=0)
settle(c, ())
---
class M(nn.Module):
    def __setattr__(self, name, value): pass
m = M()
m._parameters['__array_interface__'] = nn.Parameter(torch.ones(2, 2))
nn.utils.spectral_norm(m, '__array_interface__', dim=0)
---
m = nn.utils.weight_norm(nn.Linear(2, 2))
hook = next(iter(m._forward_pre_hooks.values()))
class C:
    training = False
C.weight_v = C.weight_g = torch.ones(2, 2)
hook(C, None)
---
class Mix:
    def _name(self, module): return '__array_interface__'
class M(Mix, prune.BasePruningMethod): pass
---
class Mix: pass
class M(Mix, prune.BasePruningMethod): pass
Mix._name = lambda self, module: '__array_interface__'
---
class Mix: pass
class More(Mix): pass
class M(More, nn.ParameterDict, prune.BasePruningMethod): pass
Mix._name = lambda self, module: '__array_interface__'
---
class K(dict):
    def __contains__(self, name): return True
class A(nn.ParameterDict, prune.BasePruningMethod): pass
a = A()
a._keys = K()
a['_name'] = lambda module: '__array_interface__'
---
class Mix:
    def _callTestMethod(self, method): print(method)
class S(Mix, unittest.TestCase): pass
---
@dataclasses.dataclass
class S(str):
    format: object = None
    def __new__(cls, *given): return str.__new__(cls)
del S.format
---
class V:
    format = 1
@dataclasses.dataclass
class S(V, str):
    format: object
del V.format
---
class D(Normal, str):
    pass
---
class T(unittest.TestCase, io.BytesIO):
    pass
---
class All(dict):
    def __contains__(self, name): return True
class C: pass
C._buffers = All()
class M(nn.Module):
    def get_submodule(self, path): return C
print(M().get_buffer('x.__getattribute__'))
---
class M(nn.Module):
    def get_submodule(self, path): return nn.Linear
M().set_submodule('a.forward2', nn.Linear(1, 1))
---
class M(nn.Module):
    def get_submodule(self, path): return F.gelu
M().set_submodule('a.zz', nn.Linear(1, 1))
---
nn.Linear(1, 1)._buffers['x'] = types.SimpleNamespace()
---
nn.Linear(1, 1)._modules.update(x=F.relu)
---
vars(nn.Linear(1, 1))['_parameters']['x'] = torch.ones(1)
---
nn.Linear(1, 1).__dict__['_parameters'] = {}
---
class M(nn.Module):
    _parameters = property(lambda self: {'x': F.relu})
---
class Mix:
    _modules = {'x': F.relu}
class M(Mix, nn.Module): pass
---
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self._buffers = {'x': F.relu}
M()
---
class X(types.SimpleNamespace, nn.ParameterList): pass
---
class A:
    format: object
class B(A, str): pass
dataclasses.dataclass(A)
---
@dataclasses.dataclass(eq=False)
class A:
    _parameters: object
class B(A, nn.Module): pass
---
class A: pass
class B(A, nn.Module): pass
A._parameters = property(lambda self: {'x': F.relu})
---
opt = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
opt.param_groups[0]['params'] = [types.SimpleNamespace(_grad=types.SimpleNamespace())]
opt.zero_grad(set_to_none=False)
---
class S(contextlib.ExitStack):
    on = False
    def __new__(cls): return F.gelu if S.on else super().__new__(cls)
s = S()
S.on = True
s.pop_all()
---
from torch.distributions import transforms as T
class Turned(T.ComposeTransform):
    def __setattr__(self, name, value): pass
    n, parts = 0, ()
    @property
    def _inv(self):
        Turned.n += 1
        return None if Turned.n == 1 else F.relu
assert Turned([]).inv is F.relu
raise ValueError
---
class T(unittest.TestCase):
    def test(self): self.assertEqual(dir, dir)
class Table(dict):
    count = 0
    def get(self, kind, *given):
        Table.count += 1
        return 'assertTrue' if Table.count % 2 else '_callTestMethod'
T.setUp = lambda self: setattr(self, '_type_equality_funcs', Table())
result = T('test').run()
assert not result.errors, result.errors
raise ValueError
""".strip().split("\n---\n")


_OWN: Final = ("print_by", "__slotnames__")
"""What the engine sets for each run, and what `copyreg` notes of a class."""


def _engine() -> dict[str, dict[str, int]]:
    """What stands in every function and class of the engine, by identity."""
    found: dict[str, dict[str, int]] = {}
    for name, module in list(sys.modules.items()):
        if not name.startswith("gradflow.engine"):
            continue
        for key, held in list(vars(module).items()):
            if isinstance(held, FunctionType) or (isinstance(held, type) and held.__module__ != "__main__"):
                found[f"{name}.{key}"] = {each: id(value) for each, value in vars(held).items() if each not in _OWN}
    return found


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_of_the_engine_is_written(program: str) -> None:
    run(PRELUDE + "nn.LazyLinear(1)(torch.ones(1, 1))")
    before = _engine()
    trace = run(PRELUDE + program)
    assert trace.error is not None
    assert trace.error.code != "internal"
    after = _engine()
    changed = {
        name: sorted(key for key, _ in dict(set(before[name].items()) ^ set(after[name].items())).items())
        for name in before
        if after[name] != before[name]
    }
    assert changed == {}
