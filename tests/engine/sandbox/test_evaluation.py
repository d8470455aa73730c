"""``eval``, ``exec`` and ``compile`` of a program: what Python prints, in the program's own names, told where the call stands."""

from __future__ import annotations

import contextlib
import io

import pytest

from gradflow.engine.run import run
from gradflow.engine.trace import Span

PROGRAMS = """
print(eval('1 + 2 * 3'), eval('  [i ** 2 for i in range(4)]'), eval(b'4'))
---
exec('a = 1'); print(a); exec('a += 1\\nb = a'); print(a, b)
---
x = 2
f = lambda x: eval('x ** 3 - 2 * x')
print(f(5), eval('f(x)'))
---
def outer(n):
    k = 3
    exec('k = 5; print(k, n)')
    return eval('n * k'), eval('[n, k]'), eval('sum(i for i in range(k))'), k
print(outer(4))
---
def outer():
    k = 3
    return eval('[i * k for i in range(2)]')
try: outer()
except NameError as e: print(e)
---
names = {}
exec('def f(x):\\n    global calls\\n    calls += 1\\n    return x + calls\\ncalls = 0', names)
print(names['f'](1), names['f'](1), sorted(names))
exec('calls = 10', names); print(names['f'](1), eval('calls', names))
---
names = {'a': 1, 'b': 2}
exec('del a; c = b + 1', names); print(sorted(k for k in names if not k.startswith('__')), names['c'])
---
g, l = {'a': 1}, {'b': 2}
exec('c = a + b; a = 5', g, l); print(g['a'], l)
print(eval('(d := a + b)', g, l), l)
---
exec('b = 1', globals()); print(b, eval('b', globals(), {'b': 2}), eval('b', {'b': 3}, None))
g = globals(); exec('z = 9', g); print(g['z'])
---
code = compile('x * 2', '<string>', 'eval')
for x in range(3): print(eval(code), eval(code, {'x': 10}))
print(exec(compile('y = 4', 'a', 'exec')), y)
---
for text in ('1 +', 'x = 1', '(', 'return 1', '1 1'):
    try: eval(text)
    except SyntaxError as e: print(e, e.msg, e.lineno)
---
try: eval('undefined')
except NameError as e: print(e)
try: eval(3)
except TypeError as e: print(e)
try: exec('1', [])
except TypeError as e: print(e)
try: eval('1', 2)
except TypeError as e: print(e)
try: compile('1', 'a', 'other')
except ValueError as e: print(e)
---
class A:
    def __init__(self): self.v = 3
    def get(self, name): return eval(f'self.{name}')
print(A().get('v'), list(map(eval, ['1', '2'])))
exec('class B(A):\\n    def get(self, name):\\n        return super().get(name) + 1')
print(B().get('v'), B.__name__)
---
exec('import math\\nfrom collections import Counter as C'); print(math.floor(2.5), C('aab')['a'])
exec('from math import *'); print(sqrt(4))
---
exec('for i in range(2):\\n    exec("total = i")'); print(i, total)
def f():
    exec('a = 1\\nprint(eval("a + 1"))')
f()
---
ns = {'n': 0}
exec('def inc():\\n  global n\\n  n += 1', ns)
ns['inc'](); ns['n'] = 10
print(eval('n', ns), ns['n'])
ns['inc'](); print(eval('n', ns), ns['n'])
del ns['n']; exec('pass', ns); print('n' in ns)
---
for k in range(300):
    names = {'k': k}; exec('def f(): return k', names)
    if k == 0: first = names
first['k'] = 100; exec('v = f()', first); print(first['v'])
---
bare = {'__builtins__': {}, 'x': 3}
for text in ('abs(-1)', 'print(x)', 'globals()'):
    try: print(eval(text, bare))
    except NameError as e: print(e)
print(eval('x * 2', bare)); exec('z = [i ** 2 for i in (1, 2)]', bare); print(bare['z'])
own = {}
exec('print(len("abc"))', own); exec('print(len("ab"))', own); print(sorted(own))
---
import timeit
n = []
print(timeit.timeit('n.append(1)', globals={'n': n}, number=3) >= 0, len(n), len(timeit.repeat('1', '2', repeat=2, number=1)))
print(timeit.Timer('x + 1', 'x = 1').timeit(2) >= 0)
"""


@pytest.mark.parametrize("program", PROGRAMS.strip().split("\n---\n"))
def test_a_text_does_what_python_does(program: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "<plain>", "exec", dont_inherit=True), {"__name__": "__main__"})
    trace = run(program)
    assert trace.error is None
    assert trace.stdout == printed.getvalue()


@pytest.mark.parametrize(
    ("program", "type", "message"),
    [
        (
            "class C:\n    exec('a = 1')",
            "RuntimeError",
            "exec() in the body of a class cannot be used in this playground",
        ),
        (
            "def f(): exec('from math import *')\nf()",
            "RuntimeError",
            "`import *` in a text that does not run in the module itself cannot be used in this playground",
        ),
        ("eval('1' + ' ' * 70000)", "SyntaxError", "the program is longer than 64 KiB"),
        ("eval('lambda: ' * 450 + '1')", "SyntaxError", "the program is nested too deeply"),
        ("exec('async def f(): pass')", "SyntaxError", "`async` and `await` cannot be used in this playground"),
        ("compile('1', 'a', 'eval', 1024)", "RuntimeError", "compile() with flags cannot be used in this playground"),
        ("def f(): return eval('f()')\nf()", "RecursionError", "maximum recursion depth exceeded"),
    ],
)
def test_what_is_refused(program: str, type: str, message: str) -> None:
    error = run(program).error
    assert error is not None
    assert (error.type, error.message.partition(" while calling")[0]) == (type, message)


def test_operations_of_a_text_stand_where_its_call_does() -> None:
    trace = run("import torch\nx = torch.ones(2, requires_grad=True)\ny = eval('x.exp().sum()')\ny.backward()")
    spans = [node.span for node in trace.nodes]
    assert spans == [Span(3, 9, 3, 24)] * 2


def test_an_error_in_a_text_is_told_at_its_call() -> None:
    error = run("import torch\ny = eval('torch.ones(2) @ torch.ones(3)')").error
    assert error is not None
    assert error.span == Span(2, 9, 2, 40)
