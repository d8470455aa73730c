"""Positions of running code are those of the pasted text, and names those that the program gives."""

from __future__ import annotations

import sys

import pytest

from gradflow.engine.sandbox import policy
from gradflow.engine.sandbox.program import check
from gradflow.engine.trace import Span


def spans_of_calls(source: str, *functions: str) -> list[str]:
    """The source text of every expression that calls one of some functions, as seen from inside of the call."""
    program = check(source)
    seen: list[str] = []

    def probe(*args: object) -> object:
        frame = sys._getframe(1)
        while frame.f_code.co_filename != "<program>":
            assert frame.f_back is not None
            frame = frame.f_back
        span = program.span(frame.f_code, frame.f_lasti)
        assert span is not None
        seen.append(program.text_at(span))
        return args[0] if args else None

    namespace = program.namespace((), lambda text: None)
    namespace.update(dict.fromkeys(functions, probe))
    program.run(namespace)
    return seen


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f(1)", ["f(1)"]),
        ("x = f(f(1) + 2)", ["f(1)", "f(f(1) + 2)"]),
        ("x = [f(\n  1),\n  2]", ["f(\n  1)"]),
        ("é = '这'; x = f('梯度', 'é') == f(2)", ["f('梯度', 'é')", "f(2)"]),
        ("class A:\n  def g(self): return f(self) is f(1)\nA().g()", ["f(self)", "f(1)"]),
        (">>> x = f(1)\n>>> for i in [1]:\n...     f(i)\n...\n1", ["f(1)", "f(i)"]),
        ("In [1]: y = f(2)\n   ...: f(y)\nOut[1]: 2", ["f(2)", "f(y)"]),
        ("    x = f(1)\n    f(x)", ["f(1)", "f(x)"]),
        ("\ufefff(1)\r\nf(2)", ["f(1)", "f(2)"]),
        ("x = f(1) ** f(2)", ["f(1)", "f(2)"]),
        ("x = [f(i) for i in (1, 2)]", ["f(i)", "f(i)"]),
    ],
)
def test_spans_are_those_of_the_pasted_text(source: str, expected: list[str]) -> None:
    assert spans_of_calls(source, "f") == expected


def test_span_of_operators() -> None:
    methods = "class V:\n  def __mul__(s, o): return f(s)\n  def __pow__(s, o): return f(s)\n"
    source = methods + "v = V()\nw = v * 2\nw = v ** 2\nv *= 3"
    program = check(source)
    seen: list[str] = []

    def probe(value: object) -> object:
        caller = sys._getframe(2)
        while caller.f_code.co_filename != "<program>":
            assert caller.f_back is not None
            caller = caller.f_back
        span = program.span(caller.f_code, caller.f_lasti)
        seen.append(program.text_at(span) if span else "")
        return value

    program.run({**program.namespace((), seen.append), "f": probe})
    assert seen == ["v * 2", "v ** 2", "v *= 3"]


def span_of(source: str, text: str) -> Span:
    """The span of a text that stands once in one line of the source."""
    (line,) = [number for number, content in enumerate(source.split("\n"), 1) if text in content]
    column = source.split("\n")[line - 1].index(text)
    return Span(line, column, line, column + len(text))


@pytest.mark.parametrize(
    ("source", "expression", "names"),
    [
        ("c = a.mm(b)", "a.mm(b)", ["c"]),
        ("c = d = a.mm(b)", "a.mm(b)", ["c", "d"]),
        ("c: int = a.mm(b)", "a.mm(b)", ["c"]),
        ("print(c := a.mm(b))", "a.mm(b)", ["c"]),
        ("c, d = a.mm(b), 3", "a.mm(b)", ["c"]),
        ("self.w = a.mm(b)", "a.mm(b)", ["self.w"]),
        ("y += a", "y += a", ["y"]),
        ("c = a.mm(b) + 1", "a.mm(b)", []),
        ("x[0] = a.mm(b)", "a.mm(b)", []),
        (">>> c = a.mm(b)", "a.mm(b)", ["c"]),
    ],
)
def test_assigned_names(source: str, expression: str, names: list[str]) -> None:
    assert check(source).assigned_names(span_of(source, expression)) == names


def test_unpacked_names() -> None:
    source = "q, _, x.r, y[0] = f(a)\n(p, *s) = g(a)"
    program = check(source)
    assert program.unpacked_names(span_of(source, "f(a)")) == ["q", "_", "x.r", ""]
    assert program.unpacked_names(span_of(source, "g(a)")) == []


@pytest.mark.parametrize(
    ("imported", "function", "name"),
    [
        ("import torch", "torch.autograd.grad", "torch.autograd.grad"),
        ("import torch.autograd as ag", "ag.grad", "torch.autograd.grad"),
        ("from torch import autograd, Tensor as T", "T.backward", "torch.Tensor.backward"),
        ("from torch.autograd import grad", "grad", "torch.autograd.grad"),
        ("import torch", "f(x).backward", ""),
    ],
)
def test_full_name(imported: str, function: str, name: str) -> None:
    source = f"{imported}\n{function}(1)"
    program = check(source)
    call = program.call_at(span_of(source, f"{function}(1)"))
    assert call is not None
    assert program.full_name(call.func) == name


@pytest.mark.parametrize(
    ("source", "targets"),
    [
        ("c = a\nprint(c)", [policy.LAST, "c"]),
        ("a, b = 1, 2\nif a:\n  d = 3\ndef f():\n  e = 4", [policy.LAST, "d", "b", "a"]),
        ("for i in [1]:\n  x = i\n  y = x", [policy.LAST, "y", "x", "i"]),
    ],
)
def test_last_targets(source: str, targets: list[str]) -> None:
    assert list(check(source).last_targets()) == targets


def test_value_of_the_last_expression_is_kept_and_not_printed() -> None:
    program = check("x = 3\nx + 4")
    written: list[str] = []
    namespace = program.namespace((), written.append)
    program.run(namespace)
    assert (namespace[policy.LAST], written) == (7, [])


def test_frames_of_an_error() -> None:
    source = "def f(x):\n  return 1 / x\nclass A:\n  def g(self): return f(0)\nA().g()"
    program = check(source)
    with pytest.raises(ZeroDivisionError) as caught:
        program.run(program.namespace((), print))
    frames = [(frame.function, frame.span and program.text_at(frame.span)) for frame in program.frames(caught.value)]
    assert frames == [("<module>", "A().g()"), ("A.g", "f(0)"), ("f", "1 / x")]
    assert program.error_span(caught.value) == span_of(source, "1 / x")
