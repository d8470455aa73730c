"""What is read of a pasted text, and what is refused before anything runs."""

from __future__ import annotations

import contextlib

import pytest

from gradflow.engine import errors
from gradflow.engine.run import run
from gradflow.engine.sandbox import policy
from gradflow.engine.sandbox.program import MAX_BYTES, Program, Rejected, check
from gradflow.engine.trace import Span


def rejection(source: str) -> Rejected:
    with pytest.raises(Rejected) as caught:
        check(source)
    return caught.value


@pytest.mark.parametrize(
    ("source", "type_name", "message", "span"),
    [
        ("x = (1,", "SyntaxError", "'(' was never closed", Span(1, 4, 1, 5)),
        ("x = 1\n  y = 2", "IndentationError", "unexpected indent", Span(2, 1, 2, 2)),
        ("if 1:\n\tx = 1\n        y = 2", "TabError", "inconsistent use of tabs and spaces in indentation", None),
        ("return 3", "SyntaxError", "'return' outside function", Span(1, 0, 1, 8)),
        ("é = 1; b c", "SyntaxError", "invalid syntax", Span(1, 9, 1, 10)),
        (">>> x = 1\n>>> b c", "SyntaxError", "invalid syntax", Span(2, 6, 2, 7)),
        ("a = （1)", "SyntaxError", "invalid character '（' (U+FF08)", Span(1, 4, 1, 5)),
        ("a\u00a0= 1", "SyntaxError", "invalid non-printable character U+00A0", Span(1, 1, 1, 2)),
        ("a = 1\nb\0", "SyntaxError", "source code contains a character that is no text (U+0000)", Span(2, 1, 2, 2)),
        ("a = '\ud800'", "SyntaxError", "source code contains a character that is no text (U+D800)", Span(1, 5, 1, 6)),
        ("async def f(): pass", "SyntaxError", "`async` and `await` cannot be used in this playground", None),
        ("x" * (MAX_BYTES + 1), "SyntaxError", "the program is longer than 64 KiB", None),
    ],
)
def test_rejections(source: str, type_name: str, message: str, span: Span | None) -> None:
    error = rejection(source)
    assert (error.type, error.msg) == (type_name, message)
    if span is not None:
        assert error.span == span


@pytest.mark.parametrize(
    "source",
    [
        "(" * 150 + ")" * 150 + "(" * 300,
        "-" * 5000 + "1",
        "not " * 3000 + "x",
        "+".join(["x"] * 20000),
        "a" + ".b" * 5000,
        "a" + "[0]" * 5000,
        "f(" * 190 + ")" * 190 + "".join("(" for _ in range(250)),
        "lambda: " * 5000 + "1",
        "x if y else " * 4000 + "z",
        "[" * 90 + "]" * 90 + " " + "{" * 300,
        "\n".join(" " * depth + "if x:" for depth in range(99)) + "\n" + " " * 99 + "x",
    ],
)
def test_deep_nesting_never_breaks_the_parser(source: str) -> None:
    with contextlib.suppress(Rejected):
        assert isinstance(check(source), Program)


def test_questionable_texts_run_without_a_word() -> None:
    program = check("x = '\\d' is 3\nassert (x, 'never')")
    program.run(program.namespace((), print))
    assert program.tree.body


def test_deep_sum_is_refused_by_name() -> None:
    assert errors.kind_of(rejection("+".join(["x"] * 2000))) is errors.TOO_DEEP


def test_longest_accepted_program_runs() -> None:
    program = check("x = 1\n" + "+".join(["x"] * 300))
    namespace = program.namespace((), print)
    program.run(namespace)
    assert namespace[policy.LAST] == 300


@pytest.mark.parametrize(
    ("pasted", "text"),
    [
        ("x = 1\n", "x = 1\n"),
        ('"""\n>>> x\n"""\nprint(1)', '"""\n>>> x\n"""\nprint(1)'),
        ("x = 'In [1]: y'", "x = 'In [1]: y'"),
        ("# >>> x\nx = [1,\n     2]", "# >>> x\nx = [1,\n     2]"),
        ("In = {}\nIn[1]: int = 5", "In = {}\nIn[1]: int = 5"),
        (">>> import torch\n>>> x\ntensor(1)\n>>> y", "import torch\nx\n\ny"),
        (">>> if x:\n...   y\n... \n3\n", "if x:\n  y\n\n\n"),
        (
            "In [1]: import torch\n\nIn [2]: x\nOut[2]: tensor([1,\n        2])\n\nIn [3]: y",
            "import torch\n\nx\n\n\n\ny",
        ),
        (
            "In [1]: import torch\na = 1\n\n-----\nRuntimeError  Traceback\n----> 5 c\n\nIn [2]: b",
            "import torch\na = 1\n\n\n\n\n\nb",
        ),
        ("In [3]: a.grad", "a.grad"),
        ("In [1]: for i in x:\n   ...:     y\n   ...: ", "for i in x:\n    y\n"),
        ("  >>> x = 1\n  >>> y", "x = 1\ny"),
        ('Python 3.11.7 (main)\nType "help" for more.\n>>> x = 1', "\n\nx = 1"),
        ("Python 3.10.12\nIPython 8.18.1 -- An enhanced Interactive Python.\n\nIn [1]: x\n\nIn [2]: y", "\n\n\nx\n\ny"),
        ("$ python\n>>> x = 1", "\nx = 1"),
        ("x = 1\n%matplotlib inline\n>>> y", "x = 1\n\ny"),
        ("    x = 1\n\n    if x:\n        y = 2", "x = 1\n\nif x:\n    y = 2"),
        ("\ufeffx = 1", "x = 1"),
        ("x = 1\r\ny = 2\rz = 3", "x = 1\ny = 2\nz = 3"),
    ],
)
def test_prompts(pasted: str, text: str) -> None:
    program = check(pasted)
    assert program.text == text
    assert program.source == pasted


def printed(source: str) -> str:
    written: list[str] = []
    program = check(source)
    program.run(program.namespace((), written.append))
    return "".join(written)


@pytest.mark.parametrize(
    ("source", "output"),
    [
        (">>> 1 + 1\n2\n>>> _ + 1\n>>> None\n>>> 'a'; x = 5; x", "2\n3\n'a'\n5\n"),
        (">>> for i in range(2):\n...     i\n... else:\n...     'end'\n", "0\n1\n'end'\n"),
        (">>> def f():\n...     3\n...     return 4\n... \n>>> f()\n4", "4\n"),
        (
            ">>> class A:\n...     'doc'\n...     3\n... \n>>> if True:\n...     try:\n...         7\n...     finally:\n...         8",
            "7\n8\n",
        ),
        (">>> _ = 3\n>>> 4\n>>> _", "4\n3\n"),
        ("In [1]: x = 1\n   ...: x\n   ...: x + 1\n\nIn [2]: _ + Out[1] + _1", "Out[1]: 2\nOut[2]: 6\n"),
        ("In [1]: 1;\n\nIn [2]: 2  # ; no\n\nIn [3]: 'a\\nb'\n", "Out[2]: 2\nOut[3]: 'a\\nb'\n"),
        ("In [ ]: 1\nIn [*]: 2\nIn [7]: 3", "Out[1]: 1\nOut[2]: 2\nOut[7]: 3\n"),
        ("1 + 1", ""),
        (
            '>>> 1 / 0\nTraceback (most recent call last):\n  File "<stdin>", line 1, in <module>\nZeroDivisionError: division by'
            " zero\n>>> 2\n2",
            "ZeroDivisionError: division by zero\n2\n",
        ),
        (
            "In [1]: for i in (1, 0):\n   ...:     print(i)\n   ...:     x = 1 // i\n---------\nZeroDivisionError   Traceback (most"
            " recent call last)\n----> 3 x = 1 // i\n\nZeroDivisionError: integer division\n\nIn [2]: x",
            "1\n0\nZeroDivisionError: integer division or modulo by zero\nOut[2]: 1\n",
        ),
    ],
)
def test_a_session_echoes_what_it_would_print(source: str, output: str) -> None:
    assert printed(source) == output


@pytest.mark.parametrize(
    "source",
    [
        ">>> [][1]\nTraceback (most recent call last):\nTypeError: no\n>>> 2",
        ">>> [][1]\n>>> 2",
        ">>> [][1]\nIndexError: list index out of range\n>>> 2",
    ],
)
def test_an_error_that_the_session_did_not_show_ends_the_run(source: str) -> None:
    with pytest.raises(IndexError):
        printed(source)


def test_a_value_of_several_lines_begins_below_the_number_of_its_cell() -> None:
    assert (
        printed("In [1]: class A:\n   ...:     def __repr__(self): return 'a\\nb'\n\nIn [2]: A()") == "Out[2]: \na\nb\n"
    )


@pytest.mark.parametrize(
    ("source", "output", "dropped"),
    [
        ("%matplotlib inline\nprint(1)", "1\n", [(1, 0, 18)]),
        ("!pip install torch -q\n%pip install x\nprint(1)", "1\n", [(1, 0, 21), (2, 0, 14)]),
        ("!pip install a \\\n    b \\\n    c\nprint(1)", "1\n", [(1, 0, 16), (2, 4, 7), (3, 4, 5)]),
        ("for _ in range(2):\n    !ls \\\n      -l\n    print(1)", "1\n1\n", [(2, 4, 9), (3, 6, 8)]),
        ("x = 7\nx?\n?x\nx.real??\nprint(x)", "7\n", [(2, 0, 2), (3, 0, 2), (4, 0, 8)]),
        ("%%time\nprint(1)", "1\n", [(1, 0, 6)]),
        (
            "get_ipython().system('ls')\nif 1:\n    get_ipython().run_line_magic('x', 'y')\nprint(1)",
            "1\n",
            [(1, 0, 26), (3, 4, 42)],
        ),
        ("%time print(1)\n%timeit -n 10 -r 3 print(2)", "1\n2\n", []),
        ("if True:\n    !ls\nfor i in [4]:\n    %time print(i)", "4\n", [(2, 4, 7)]),
        ("x = 7\nprint(x\n  % 4, (1,\n  2), '''\n%time\n!a''')\n!ls", "3 (1, 2) \n%time\n!a\n", [(7, 0, 3)]),
        ("x = 7 \\\n  % 4\nprint(x, 'it''s', \"'\")  # (\n!ls", "3 its '\n", [(4, 0, 3)]),
        ("%%bash\nls (\n# %%\nprint(1)", "1\n", [(1, 0, 6), (2, 0, 4)]),
        ("In [1]: %%html\n   ...: <b>\n\nIn [2]: %time print(3)\n", "3\n", [(1, 8, 14), (2, 8, 11)]),
        ("    %time print(1)\n    !ls\n    print(2)", "1\n2\n", [(2, 4, 7)]),
    ],
)
def test_lines_of_ipython_are_passed_over(source: str, output: str, dropped: list[tuple[int, int, int]]) -> None:
    assert printed(source) == output
    assert [(each.line, each.column, each.end_column) for each in check(source).dropped] == dropped


def test_positions_behind_a_magic_are_those_of_the_pasted_text() -> None:
    error = rejection("!ls\nif 1:\n    %time b c")
    assert error.span == Span(3, 12, 3, 13)


@pytest.mark.parametrize("source", ["'%d' % 3", "a = [1,\n2]\nb = (7\n% 3)", "x = '!'"])
def test_an_operator_is_no_magic(source: str) -> None:
    with contextlib.suppress(Rejected):
        assert check(source).dropped == ()


def test_a_cell_that_a_script_holds_as_a_text_runs() -> None:
    program = (
        "import torch\n\nget_ipython().run_cell_magic('time', '', 'x = torch.ones(2)\\nfor i in range(2):\\n    x = x * 2\\nprint(x)\\n')\n"
        "get_ipython().run_cell_magic('bash', '', 'ls')\nif True:\n    get_ipython().run_line_magic('time', 'y = x.sum()')\n"
        "    get_ipython().system('ls')\nprint(y)"
    )
    trace = run(program)
    assert trace.error is None
    assert trace.stdout == "tensor([4., 4.])\ntensor(8.)\n"
    assert [each.line for each in check(program).dropped] == [4, 7]


@pytest.mark.parametrize(
    ("source", "output", "dropped"),
    [
        ("Try this:\n\n```python\nprint(1)\n```\nand then\n```\nprint(2)\n```\n", "1\n2\n", [(1, 0, 9)]),
        ("```py\nprint(1)\n```", "1\n", []),
        ("```Python\nprint(1)", "1\n", []),
        ("试试这个：\n~~~python\nprint(1)\n~~~\n```text\nnothing\n```", "1\n", [(1, 0, 5)]),
        ("1. First\n   ```{python}\n   if 1:\n       print(1)\n   ```", "1\n", [(1, 0, 8)]),
        (
            "Run it\n```bash\npip install torch\n```\n```python\n%matplotlib inline\nprint(1)\n```",
            "1\n",
            [(1, 0, 6), (6, 0, 18)],
        ),
        ("Look\n```pycon\n>>> 1 + 1\n2\n```", "2\n", [(1, 0, 4)]),
        ("import torch\nprint(1)\n```", "1\n", [(3, 0, 3)]),
        ("Four\n````markdown\n```python\nprint(1)\n```\n````\n```python\nprint(2)\n```", "2\n", [(1, 0, 4)]),
        ('"""\n```python\nprint(1)\n```\n"""\nprint(2)', "2\n", []),
    ],
)
def test_code_between_fences_runs(source: str, output: str, dropped: list[tuple[int, int, int]]) -> None:
    trace = run(source)
    assert (trace.error, trace.stdout) == (None, output)
    assert [(note.span.line, note.span.column, note.span.end_column) for note in trace.notes if note.span] == dropped


def test_a_program_with_fences_in_its_texts_is_no_post() -> None:
    source = 'import torch\ndef f():\n    """Use:\n\n    ```python\n    f()\n    ```\n    """\nprint(torch.ones(1)'
    assert rejection(source).span == Span(9, 5, 9, 6)


def test_positions_between_fences_are_those_of_the_pasted_text() -> None:
    trace = run("- So:\n  ```python\n  import torch\n  torch.ones(2).backward()\n  ```")
    assert trace.error is not None
    assert trace.error.span == Span(4, 2, 4, 26)
