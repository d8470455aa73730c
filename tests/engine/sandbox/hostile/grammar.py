"""Hostile programs: every route by which a program can name an attribute, to every kind of object, for every telling name.

A program tries several; what it gets hold of it puts into ``out``.
"""

from __future__ import annotations

import random
from typing import Final

PRELUDE: Final = """
import argparse, collections, contextlib, copy, dataclasses, datetime, enum, functools, inspect, itertools, json, logging
import math, operator, pickle, random, re, string, types, typing, warnings, weakref
import numpy as np
import torch
from torch import nn
out = []
def f(a, b=1): return a
def gen():
    yield 1
g = gen()
next(g)
class C:
    x = 1
    def m(self): return self
    @property
    def p(self): return self
    @classmethod
    def c(cls): return cls
@dataclasses.dataclass
class D:
    a: int = 1
class E(enum.Enum):
    A = 1
class M(nn.Module):
    def forward(self, x): return x
class S:
    __slots__ = ('s',)
P = collections.namedtuple('P', 'a b')
t = torch.ones(2, requires_grad=True)
u = (t * t).sum()
try:
    raise ValueError(1)
except ValueError as error:
    e = error
"""
_TARGETS = """
f g gen C C() C().m C.m C.c D D() E E.A M M() S() P P(1,2) t u u.grad_fn u.backward t.storage torch np nn nn.Linear
nn.Linear(1,1) nn.Linear.forward np.ones(2) np.ones np.add np.float64(1) np.random torch.optim.SGD([t],lr=1)
torch.ones torch.Tensor e type(e) (1) 'a' [] {} () None len print type object [].append (lambda:0)
functools.partial(f,1) functools.lru_cache(f) property(f) staticmethod(f) re.compile('a') re.match('a','a')
logging.getLogger('a') logging argparse.ArgumentParser() argparse.Namespace(a=1) datetime.datetime.now() random
random.Random(1) weakref.ref(C) types typing typing.List[int] string.Template('$a') collections.OrderedDict()
collections.defaultdict(list) itertools.count() operator.attrgetter('x') contextlib.suppress() super inspect
warnings copy json math range(3) iter([]) zip() map(f,[]) enumerate([]) C.__init__ C().__class__ D.__init__
Exception torch.autograd.Function torch.no_grad() torch.utils.data.DataLoader([1]) t.dtype t.device t.shape
"""
TARGETS: Final = _TARGETS.split()
_NAMES = """
__globals__ __code__ __closure__ __builtins__ __subclasses__ __mro__ __base__ __bases__ __dict__ __class__ __init__
__reduce_ex__ __reduce__ __getattribute__ __self__ __func__ __wrapped__ gi_frame gi_code gi_yieldfrom f_back
f_globals f_builtins tb_frame tb_next __traceback__ __loader__ __spec__ __import__ __array_interface__
__array_struct__ __array_finalize__ __objclass__ __weakref__ __kwdefaults__ __defaults__ __setattr__ __new__
__getstate__ __setstate__ __array_function__ __array_ufunc__ __annotations__ __set_name__ __call__ __get__
__prepare__ __instancecheck__ mro ctypes base flags data setflags tofile dump _a _st _entry _member_map_ _abc_impl
_is_protocol kind details owner sys os func args keywords modules __cached__ __file__ __path__ __package__ fget
cache_clear __name__ manager root handlers
"""
NAMES: Final = _NAMES.split()
ROUTES: Final = (
    "getattr({t}, '{n}')",
    "getattr({t}, '{n}', None)",
    "getattr(type({t}), '{n}')",
    "'{{0.{n}}}'.format({t})",
    "'{{a.{n}}}'.format_map(dict(a={t}))",
    "str.format('{{0.{n}}}', {t})",
    "operator.attrgetter('{n}')({t})",
    "operator.attrgetter('a.{n}')(types.SimpleNamespace(a={t}))",
    "operator.methodcaller('{n}')({t})",
    "functools.reduce(getattr, ['{n}'], {t})",
    "list(map(getattr, [{t}], ['{n}']))",
    "sorted([{t}], key=operator.attrgetter('{n}'))",
    "vars({t})['{n}']",
    "({t}).__dict__['{n}']",
    "object.__getattribute__({t}, '{n}')",
    "type({t}).__getattribute__({t}, '{n}')",
    "type.__getattribute__(type({t}), '{n}')",
    "super(type({t}), {t}).{a}",
    "({t}).__getattr__('{n}')",
    "nn.Module.__getattr__({t}, '{n}')",
    "inspect.getattr_static({t}, '{n}')",
    "inspect.getmembers({t})",
    "inspect.unwrap({t})",
    "copy.copy({t})",
    "copy.deepcopy({t})",
    "pickle.loads(pickle.dumps({t}))",
    "weakref.ref({t})().{a}",
    "weakref.proxy({t}).{a}",
    "'%({n})s' % {t}",
    "string.Template('${{{n}}}').substitute({t})",
    "logging.Formatter('{{{n}}}', style='{{').format({t})",
    "functools.partial(getattr, {t})('{n}')",
    "functools.update_wrapper(C(), {t}, assigned=['{n}'], updated=[])",
    "functools.wraps({t}, assigned=('{n}',))(f)",
    "property(operator.attrgetter('{n}')).__get__({t})",
    "types.MethodType(getattr, {t})('{n}')",
    "setattr({t}, '{n}', f)",
    "setattr(type({t}), '{n}', f)",
    "delattr({t}, '{n}')",
    "object.__setattr__({t}, '{n}', f)",
    "type('X', (), {{'{n}': f}})()",
    "type('X', (type({t}),), {{'{n}': f}})",
    "collections.namedtuple('X', ['{n}'])",
    "dataclasses.make_dataclass('X', ['{n}'])",
    "dataclasses.replace({t}, **{{'{n}': f}})",
    "dataclasses.asdict({t})",
    "dataclasses.fields({t})",
    "enum.Enum('X', {{'{n}': f}})",
    "types.SimpleNamespace(**{{'{n}': f}})",
    "types.new_class('X', (), {{}}, lambda ns: ns.update({{'{n}': f}}))",
    "argparse.Namespace(**{{'{n}': f}})",
    "argparse.ArgumentParser().parse_args([], namespace={t})",
    "M().register_buffer('{n}', t)",
    "M().__setattr__('{n}', {t})",
    "M().load_state_dict({{'{n}': t}})",
    "torch.optim.SGD([t], lr=1).load_state_dict({{'state': {{}}, 'param_groups': [], '{n}': {t}}})",
    "json.dumps({t}, default=operator.attrgetter('{n}'))",
    "max([{t}], key=operator.attrgetter('{n}'))",
    "itertools.groupby([{t}], operator.attrgetter('{n}'))",
    "re.sub('a', operator.attrgetter('{n}'), 'a')",
    "np.vectorize(operator.attrgetter('{n}'))([{t}])",
    "np.array([{t}]).{a}",
    "contextlib.ExitStack().enter_context({t})",
    "typing.get_type_hints({t})",
    "typing.cast(type, {t}).{a}",
    "({t}).{a}",
    "torch.func.functional_call({t}, {{'{n}': t}}, (t,))",
    "torch.utils._pytree.tree_map(operator.attrgetter('{n}'), [{t}])",
)
STATEMENTS: Final = (
    "match {t}:\n        case object({a}=v): out.append(v)",
    "match {t}:\n        case C({a}=v): out.append(v)",
    "class X:\n        __match_args__ = ('{n}',)\n    match {t}:\n        case X(v): out.append(v)",
    "class X(type({t})): {a} = f\n    out.append(X)",
    "class X(typing.Protocol):\n        {a}: int\n    out.append(isinstance({t}, X))",
    "class X:\n        def __getattr__(self, n): return {t}\n    out.append(getattr(X(), '{n}'))",
    "class X:\n        @property\n        def a(self): return {t}.{a}\n    out.append(X().a)",
    "class X:\n        __slots__ = ('{n}',)\n    out.append(X())",
    "class X:\n        def __set_name__(self, o, n): out.append((o, n))\n    class Y: {a} = X()",
    "for {a} in [1]: out.append(1)",
    "with contextlib.nullcontext({t}) as v: out.append(v.{a})",
    "try:\n        raise {t}\n    except BaseException as v: out.append(v.{a})",
    "global {a}\n    out.append({a})",
    "from torch import {a}\n    out.append({a})",
    "from numpy import {a} as v\n    out.append(v)",
    "out.append((lambda {a}: {a})({t}))",
    "del {t}.{a}",
    "{t}.{a} += f",
)


def program(chance: random.Random, tries: int) -> str:
    """A program of so many tries. Those that the policy refuses are told apart by running each alone."""
    return PRELUDE + "\n".join(attempt(chance) for _ in range(tries))


def attempt(chance: random.Random) -> str:
    """One try, in words of its own: nothing that it raises ends the program."""
    target, name = chance.choice(TARGETS), chance.choice(NAMES)
    if chance.random() < 0.2:
        statement = chance.choice(STATEMENTS).format(t=target, n=name, a=name)
        return f"def attempt():\n    {statement}\ntry:\n    attempt()\nexcept BaseException as error: out.append(error)"
    route = chance.choice(ROUTES).format(t=target, n=name, a=name)
    return f"try:\n    out.append({route})\nexcept BaseException as error: out.append(error)"
