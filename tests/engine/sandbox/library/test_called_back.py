"""What libraries call, hand out and write for a program: nothing that it could not have by itself."""

from __future__ import annotations

import pytest

from gradflow.engine import preload  # noqa: F401  # all that is allowed is entered by then
from gradflow.engine.namespace.layers.linear import Linear
from gradflow.engine.run import run
from gradflow.engine.sandbox.gate import is_program_class
from gradflow.engine.sandbox.library.scripts import unit_tests  # noqa: F401
from gradflow.engine.sandbox.rules import RULES
from tests.engine.sandbox.test_memory import refusal

CALLED = {
    "staticmethod", "function", "method", "builtin_function_or_method", "partial", "_lru_cache_wrapper", "_BaseGenericAlias",
    "ContextDecorator", "Callable", "ABCPolyBase", "poly1d", "TestCase", "BaseTestSuite",
}  # fmt: skip
"""Classes of libraries whose objects programs have and can call: of these somebody has read what a call does."""
ARGUMENTS = "import argparse, torch\np = argparse.ArgumentParser()\n"


def test_what_programs_can_call_was_looked_at() -> None:
    """An action of `argparse` was not: a call of it sets any attribute of any object."""
    owners = {
        next((each.__name__ for each in cls.__mro__ if "__call__" in vars(each) and not _is_ours(each)), None)
        for cls in RULES
        if not is_program_class(cls) and not any("__call__" in vars(each) and _is_ours(each) for each in cls.__mro__)
    }
    assert owners - {None} <= CALLED


def _is_ours(cls: type) -> bool:
    return vars(cls)["__call__"].__class__.__name__ == "function" and vars(cls)["__call__"].__module__.startswith(
        "gradflow."
    )


@pytest.mark.parametrize(
    "source",
    [
        "p.add_argument('--x', dest='forward')(None, torch.nn.Linear, lambda s, x: x * 0)",
        "p.add_subparsers()(p, torch.nn.Linear, ['a'])",
        "p.add_argument('c', action='parsers', prog='p', parser_class=dict)",
        "p.add_argument('c', prog='p', parser_class=dict)",
        "p.add_argument('c', action='nothing')",
        "class S(str):\n    def __eq__(s, o): return True\n    __hash__ = str.__hash__\np.add_argument('c', action=S('parsers'))",
        "s = p.add_subparsers(); s.choices['go'] = dict; s._name_parser_map",
        "class C:\n    def __copy__(self): return []\np.add_argument('--x', action='append', default=C()); p.parse_args(['--x', '1'])",
        "class C: pass\np.add_argument('--x', action='append'); p.set_defaults(x=C()); p.parse_args(['--x', '1'])",
        "class C: pass\np.add_argument('--x', action='extend', nargs=2)\n"
        "p.parse_args(['--x', '1', '2'], namespace=argparse.Namespace(x=C()))",
        "p0 = argparse.ArgumentParser(add_help=False)\nclass P:\n    n = 0\n    def __iter__(self):\n        P.n += 1\n"
        "        return iter([p0] if P.n == 1 else [p0, dict])\nargparse.ArgumentParser(parents=P()).parse_args(['--y'])",
        "class H:\n    def __mod__(self, told): raise ValueError(told)\np.add_argument('--x', help=H()); p.print_help()",
    ],
)
def test_arguments_are_written_nowhere_else(source: str) -> None:
    before = Linear.__dict__["forward"]
    assert refusal(ARGUMENTS + source)
    assert Linear.__dict__["forward"] is before


def test_commands_are_those_that_were_added() -> None:
    trace = run(
        ARGUMENTS
        + "s = p.add_subparsers(dest='command')\ns.add_parser('go', aliases=['g']).add_argument('--n', type=int)\n"
        "print(list(s.choices), p.parse_args(['go', '--n', '3']), p.add_argument('-v', '--verbose').option_strings)"
    )
    assert trace.error is None
    assert trace.stdout == "['go'] Namespace(command='go', n=3) ['-v', '--verbose']\n"


@pytest.mark.parametrize(
    "call",
    [
        "np.pad([None, len], 1, mode=got)",
        "np.pad([None, len], 1, got)",
        "np.pad([None, len], 1, mode=Got)",
        "np.fromfunction(got, (2,), dtype=object)",
        "np.apply_along_axis(got, 0, [None, len])",
        "np.apply_over_axes(got, [None, len], 0)",
        "np.piecewise([None, len], [[True, True]], [got])",
        "np.vectorize(got, signature='(n)->()')([None, len])",
        "np.vectorize(got, signature='(n)->()')(x=[None, len])",
        "np.zeros(4).resize((2, 2))",
        "np.set_printoptions(override_repr=got)",
        "with np.printoptions(override_repr=got): pass",
        "np.set_printoptions(3, 3, 3, 3, True, 'a', 'b', None, ' ', 'fixed', override_repr=got)",
    ],
)
def test_no_array_of_objects_is_handed_to_the_program(call: str) -> None:
    source = f"""import numpy as np
def got(*given):
    print([a.dtype for a in given if isinstance(a, np.ndarray) and a.dtype.kind == 'O'])
    return given[0]
class Got:
    def __init__(self, *given): got(*given)
{call}"""
    trace = run(source)
    assert trace.error is not None
    assert "object" not in trace.stdout


def test_functions_of_the_program_are_called_with_numbers() -> None:
    trace = run("""import numpy as np
print(np.pad(np.ones(2), 1, mode=lambda vector, *rest: vector.fill(3)))
print(np.fromfunction(lambda i, j: i + j, (2, 2)), np.polyval(np.poly1d([1, 2]), 3))
with np.printoptions(precision=1): print(np.array([1.25]))
np.set_printoptions(formatter={'float': '{:.3f}'.format})
print(np.array([1.25]))""")
    assert trace.error is None
    assert trace.stdout == "[3. 3. 3. 3.]\n[[0. 1.]\n [1. 2.]] 5\n[1.2]\n[1.250]\n"


@pytest.mark.parametrize(
    "source",
    [
        "parametrize.register_parametrization(m, 'weight', nn.Identity())",
        "parametrize.remove_parametrizations(m, 'forward')",
    ],
)
def test_only_the_class_of_a_parametrized_module_is_written(source: str) -> None:
    names = set(vars(Linear))
    run(f"""from torch import nn
from torch.nn.utils import parametrize
m = nn.Linear(2, 2)
m.parametrizations = nn.ModuleDict({{'a': nn.Identity(), 'forward': nn.Identity()}})
{source}""")
    assert set(vars(Linear)) == names


@pytest.mark.parametrize(
    "source",
    [
        "def f(a): pass\nf._partialmethod = functools.partialmethod(getattr)",
        "class f: __new__ = getattr",
        "class f: __init__ = print",
    ],
)
def test_signatures_are_those_of_the_program(source: str) -> None:
    assert "inspect.signature() of" in refusal(f"import functools, inspect\n{source}\ninspect.signature(f)")


@pytest.mark.parametrize(
    "raised",
    [
        "SystemExit(Code())",
        "type('E', (SystemExit,), {'code': property(lambda self: 1 / 0)})(1)",
        "type('E', (SystemExit,), {'code': 0})(1)",
    ],
)
def test_a_program_that_ends_itself_is_not_believed(raised: str) -> None:
    source = f"class Code:\n    def __eq__(self, other): raise KeyboardInterrupt\nraise {raised}"
    assert run(source).error is not None


def test_steps_of_a_traced_graph_call_what_programs_have() -> None:
    trace = run("""import operator, torch, torch.fx
def f(x): return (x ** 2 << 1) + x.shape[0]
targets = [n.target for n in torch.fx.symbolic_trace(f).graph.nodes if n.op == "call_function"]
print([t in (getattr, operator.pow, operator.lshift, operator.getitem, operator.add) for t in targets], len(targets))
print(torch.fx.symbolic_trace(f)(torch.tensor([1, 2])))
get = next(t for t in targets if t is getattr)
get(len, "__self__")""")
    assert trace.stdout == "[True, True, True, True, True] 5\ntensor([ 4, 10])\n"
    assert trace.error is not None
    assert trace.error.type == "AttributeError"


@pytest.mark.parametrize(
    "source",
    [
        "unittest.TestSuite().run(torch.nn.Linear)",
        "unittest.TestSuite()(torch.nn.Linear)",
        "Case().run(torch.nn.Linear)",
        "unittest.TestSuite([torch.nn.Linear(1, 1)])",
        "s = unittest.TestSuite(); s.addTest(Case)",
        "s = unittest.TestSuite(); s.addTests(x for x in (Case(), lambda result: None))",
        "unittest.TestLoader().loadTestsFromTestCase(Case).run(object())",
        "unittest.TextTestRunner().run(Case)",
    ],
)
def test_tests_report_to_results_of_ours_alone(source: str) -> None:
    before = set(vars(Linear))
    head = "import torch, unittest\nclass Case(unittest.TestCase):\n    def runTest(self): pass\n"
    assert refusal(head + source)
    assert set(vars(Linear)) == before


def test_suites_run_their_tests() -> None:
    trace = run("""import unittest
class Case(unittest.TestCase):
    def test_a(self): self.assertEqual(1, 1)
    def test_b(self): self.assertEqual(1, 2)
suite = unittest.TestSuite()
suite.addTest(Case("test_a"))
suite.addTests([Case("test_b"), unittest.defaultTestLoader.loadTestsFromTestCase(Case)])
result = unittest.TextTestRunner().run(suite)
print(suite.countTestCases(), result.testsRun, len(result.failures), Case("test_a").run().wasSuccessful())""")
    assert trace.error is None
    assert trace.stdout == "4 4 2 True\n"


def test_a_memo_of_the_engine_reaches_no_program() -> None:
    trace = run("""import argparse, copy, weakref
kept = []
class T:
    def __deepcopy__(self, memo): kept.append(memo); return 1
t = T()
p = weakref.proxy(t)
try: copy.deepcopy([p, argparse.ArgumentParser()])
except Exception: pass
memo = {}
class U:
    def __deepcopy__(self, memo): kept.append(memo); return 2
print(copy.deepcopy([U()], memo), kept[-1] is memo, all(type(m) is dict for m in kept))
try: p.__deepcopy__
except Exception as error: print(type(error).__name__)""")
    assert trace.error is None
    assert trace.stdout == "[2] True True\nAttributeError\n"


@pytest.mark.parametrize("write", ["C.x = 1", "del C.x", "setattr(C, 'x', 1)", "delattr(C, 'x')"])
def test_what_a_class_had_is_held_while_it_is_written_over(write: str) -> None:
    """Python's cache of attributes gives it to what runs at its end."""
    trace = run(f"""keep = []
class V:
    __slots__ = ("a", "it")
def g():
    try: yield
    finally: keep.append(getattr(C, "x", None))
class C: pass
it = g()
next(it)
C.x = V()
C.x.it = it
del it
C.x
{write}
print([type(each).__name__ for each in keep])""")
    assert trace.error is None
    assert trace.stdout in ("['int']\n", "['NoneType']\n")


def test_tables_of_libraries_stay_as_they_are() -> None:
    run("""import textwrap, re
class T(str):
    def expandtabs(self, n=8): return self
    def translate(self, table): table[ord("a")] = ord("z"); return "a b"
textwrap.wrap(T("x y"))
class N(int):
    def __hash__(self): return hash(0)
    def __eq__(self, other): return True
re.search("abc", "ABC", N(re.IGNORECASE))""")
    trace = run("import textwrap, re\nprint(textwrap.wrap('a banana'), re.search('abc', 'ABC'))")
    assert trace.stdout == "['a banana'] None\n"


def test_a_formatter_takes_records_alone() -> None:
    source = "import logging, torch\nlogging.Formatter('x').format(torch.nn.Linear(1, 1))"
    assert "a record of" in refusal(source)
