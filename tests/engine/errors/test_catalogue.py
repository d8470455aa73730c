"""Every error has PyTorch's words, an explanation in both languages, and where there is one a fix that helps."""

from __future__ import annotations

import json
import re
import string
import subprocess
import sys

import pytest

from gradflow.engine import errors
from gradflow.engine.diagnosis import apply_edits
from gradflow.engine.errors import CATALOGUE, ErrorKind
from gradflow.engine.errors.language import mistakes, python, syntax
from gradflow.engine.run import run
from gradflow.engine.trace import ErrorRecord, Trace
from tests.golden.cases import ERRORS, PRELUDE, ROOT

MESSAGES: dict[str, str] = json.loads(ERRORS.read_text())
KINDS = list(CATALOGUE.values())
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def error_of(source: str) -> ErrorRecord:
    record = run(source).error
    assert record is not None
    return record


@pytest.mark.parametrize("statement", MESSAGES)
def test_message_is_that_of_pytorch(statement: str) -> None:
    record = error_of(PRELUDE + statement)
    assert f"{record.type}: {record.message}" == MESSAGES[statement]


# ---- the catalogue


def sample_details(kind: ErrorKind) -> dict[str, object]:
    """Something to say for every detail that the texts of an entry name."""
    details: dict[str, object] = {}
    for template in (kind.message, kind.en, kind.zh):
        for _, field, spec, _ in string.Formatter().parse(template):
            if field and field != "tensor":
                shaped = spec in ("x", "n", "en", "zh") or isinstance(details.get(field), tuple)
                details[field] = (2, 3) if shaped else f"<{field}>"
    return details


def is_shape(kind: ErrorKind, field: str) -> bool:
    return isinstance(sample_details(kind)[field], tuple)


def test_every_constant_has_a_code_of_its_own() -> None:
    constants = [value for value in vars(errors).values() if isinstance(value, ErrorKind)]
    codes = [kind.code for kind in KINDS]
    assert {kind.code for kind in constants} <= set(codes)
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code) for code in codes)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_an_error_is_raised_in_its_own_words(kind: ErrorKind) -> None:
    details = sample_details(kind)
    error = kind(**details)
    assert type(error) is kind.type
    assert errors.kind_of(error) is kind
    assert errors.details_of(error) == details
    shown = {name: list(value) if isinstance(value, tuple) else value for name, value in details.items()}
    expected = re.sub(r"\{(\w+):x\}", "2x3", kind.message).format(**shown)
    assert error.args == (expected,)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_an_explanation_uses_the_details(kind: ErrorKind) -> None:
    details = sample_details(kind) | {"tensor": "`w`"}
    english, chinese = kind.explain("en", details), kind.explain("zh", details)
    assert "{" not in english + chinese
    assert english.endswith(".")
    assert not CHINESE.search(english.replace("这", ""))
    assert CHINESE.search(chinese)
    assert chinese.endswith("。")
    for text, template in ((english, kind.en), (chinese, kind.zh)):
        assert ("`w`" in text) == ("{tensor}" in template)
        for _, field, _, _ in string.Formatter().parse(template):
            if field and field != "tensor" and not is_shape(kind, field):
                assert f"<{field}>" in text or f"<{field}>".capitalize() in text


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_an_explanation_needs_no_details(kind: ErrorKind) -> None:
    for language, template in (("en", kind.en), ("zh", kind.zh)):
        named = [field for _, field, _, _ in string.Formatter().parse(template) if field]
        required = {field for _, field, _, _ in string.Formatter().parse(kind.message) if field}
        details = {name: value for name, value in sample_details(kind).items() if name in required}
        text = kind.explain("en" if language == "en" else "zh", details)
        assert text, f"{kind.code} has no sentence without {named}"


def test_shapes_are_written_for_readers() -> None:
    explain = errors.NONSCALAR_BACKWARD.explain
    assert explain("en", {"tensor": "`c`", "shape": (2, 3)}).startswith("`c` is a 2×3 matrix with 6 elements.")
    assert explain("zh", {"tensor": "`c`", "shape": (2, 3)}).startswith("`c` 是 2×3 的矩阵，有 6 个元素。")
    assert explain("en", {"shape": (4,)}).startswith("The tensor is a vector of length 4 with 4 elements.")
    assert explain("zh", {"shape": (2, 1, 2)}).startswith("这个张量是 2×1×2 的张量，有 4 个元素。")
    assert explain("en", {}).startswith("Only for an output that is a single number")


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("x = (", syntax.UNCLOSED),
        ("x = 3 +", python.SYNTAX),
        ("  x\n y", syntax.UNEXPECTED_INDENT),
        ("if True:\nx = 1\ny = 2", syntax.MISSING_BLOCK),
        ("raise IndentationError('i')", python.INDENTATION),
        ("undefined", python.NAME),
        ("def f():\n  x += 1\nf()", python.UNBOUND_LOCAL),
        ("None.grad", python.NONE_ATTRIBUTE),
        ("class A: pass\nA().x", python.ATTRIBUTE),
        ("1 + 'a'", mistakes.OPERAND_TYPES),
        ("iter(1, 2)", python.TYPE),
        ("int('x')", mistakes.NOT_A_NUMBER_TEXT),
        ("chr(-1)", python.VALUE),
        ("[][0]", mistakes.SEQUENCE_INDEX),
        ("raise IndexError", python.INDEX),
        ("{}['k']", python.KEY),
        ("1 / 0", python.ZERO_DIVISION),
        ("def f(): f()\nf()", python.RECURSION),
        ("assert False", python.ASSERTION),
        ("raise MemoryError", python.MEMORY),
        ("raise StopIteration('s')", mistakes.GENERATOR_END),
        ("raise ImportError('i')", python.IMPORT),
        ("class E(Exception):\n  def __str__(self): return 1 / 0\nraise E", python.UNCLASSIFIED),
        ("raise RuntimeError('grad can be implicitly created only for scalar outputs')", python.UNCLASSIFIED),
    ],
)
def test_errors_of_python_are_told_apart(source: str, kind: ErrorKind) -> None:
    record = error_of(source)
    assert record.code == kind.code
    assert record.explanation.en
    assert record.explanation.zh


def test_the_reference_is_current() -> None:
    command = [sys.executable, "-m", "scripts.generate.docs", "--check"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.stdout, result.returncode) == ("", 0)


# ---- fixes


def fixed(source: str) -> tuple[str, Trace]:
    """The program after its fix, and what then happens."""
    record = error_of(source)
    assert record.fix is not None, record
    assert record.fix.title.en
    assert record.fix.title.zh
    program = apply_edits(source, record.fix.edits)
    return program, run(program)


HEAD = "import torch\n"
LEAF = HEAD + "a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\n"
FIXES = {
    # backward passes
    LEAF + "c = a * 2\nc.backward()": "c.backward(torch.ones_like(c))",
    LEAF + "c = a * 2\nc.backward(retain_graph=True)": "c.backward(torch.ones_like(c), retain_graph=True)",
    LEAF + "c = a * 2\nc.backward(gradient=None)": "c.backward(gradient=torch.ones_like(c))",
    LEAF + "a.exp().backward()": "a.exp().sum().backward()",
    LEAF + "c = a * 2\ntorch.autograd.backward(c)": "torch.autograd.backward(c, grad_tensors=torch.ones_like(c))",
    LEAF + "c = a * 2\ntorch.autograd.grad(c, a)": "torch.autograd.grad(c, a, grad_outputs=torch.ones_like(c))",
    "import torch as t\nx = t.ones(2, requires_grad=True)\ny = x + 1\ny.backward()": "y.backward(t.ones_like(y))",
    LEAF + "c = a * 2\nc.backward(torch.ones(3))": "c.backward(torch.ones_like(c))",
    LEAF + "c = a * 2\nc.backward(torch.ones(2))": "c.backward(torch.ones(2).expand_as(c))",
    LEAF + "c = a * 2\nc.backward(torch.ones(4))": "c.backward(torch.ones(4).reshape(c.shape))",
    LEAF + "c = a.sum()\nc.backward(torch.ones(1))": "c.backward(torch.ones(1).reshape(c.shape))",
    LEAF + "c = a * 2\nc.backward([[1., 2.], [3., 4.]])": "c.backward(torch.tensor([[1., 2.], [3., 4.]]))",
    LEAF + "c = a * 2\nc.backward(1.0)": "c.backward(torch.full_like(c, 1.0))",
    LEAF + "c = (a * a).sum()\nc.backward()\nc.backward()": "c = (a * a).sum()\nc.backward()",
    LEAF
    + "c = (a * a).sum()\nfor i in range(2):\n    c.backward()": "for i in range(2):\n    c = (a * a).sum()\n    c.backward()",
    LEAF
    + "c = (a * a).sum()\nc.backward(retain_graph=False)\nc.backward()": "c.backward(retain_graph=True)\nc.backward()",
    LEAF + "c = a.sum()\nc.backward(retain_variables=True)": "c.backward(retain_graph=True)",
    LEAF + "c = a * 2\nc.backward(grad=torch.ones_like(c))": "c.backward(gradient=torch.ones_like(c))",
    # writes
    LEAF + "a += 1": "with torch.no_grad():\n    a += 1",
    LEAF + "for i in [0]:\n    a[0] = (1 +\n      2)  # row": (
        "for i in [0]:\n    with torch.no_grad():\n        a[0] = (1 +\n          2)  # row"
    ),
    LEAF + "y = a.exp()\ny += 1\ny.sum().backward()": "y = a.exp()\ny = y + 1\ny.sum().backward()",
    LEAF + "y = a.exp()\ny.add_(1)\ny.sum().backward()": "y = a.exp()\ny = y.add(1)\ny.sum().backward()",
    HEAD + "n = torch.tensor([1, 2])\nn += 1.5": "dtype=torch.float32",
    # whole numbers
    HEAD + "a = torch.tensor([[1, -2]], requires_grad=True)": "a = torch.tensor([[1., -2.]], requires_grad=True)",
    HEAD + "a = torch.ones(2, dtype=torch.int64, requires_grad=True)": "ones(2, dtype=torch.float, requires_grad=True)",
    HEAD + "n = [1, 2]\na = torch.tensor(n, requires_grad=True)": "tensor(n, requires_grad=True, dtype=torch.float)",
    HEAD + "a = torch.tensor([1, 2])\na.requires_grad_()": "a = torch.tensor([1., 2.])\na.requires_grad_()",
    HEAD + "a = torch.tensor([1, 2])\na.requires_grad = True": "a = torch.tensor([1., 2.])\na.requires_grad = True",
    HEAD + "a = torch.tensor([1, 2])\na.mean()": "a.float().mean()",
    HEAD + "a = torch.tensor([1, 2])\ntorch.mean(a)": "torch.mean(a.float())",
    # products and shapes
    HEAD + "a = torch.ones(2, 3)\nb = torch.ones(2, 3)\na.mm(b)": "a.mm(b.t())",
    HEAD + "a = torch.ones(2, 3)\nb = torch.ones(2, 4)\na @ b": "a.t() @ b",
    HEAD + "a = torch.ones(2, 3)\nb = torch.ones(2, 3)\ntorch.mm(a, b)": "torch.mm(a, b.t())",
    HEAD + "a = torch.ones(2, 3)\na.t().view(6)": "a.t().reshape(6)",
    LEAF + "a.numpy()": "a.detach().numpy()",
    LEAF + "a.sum().data[0]": "a.sum().item()",
    LEAF + "a.item()": "a.tolist()",
    # conversions and other functions
    HEAD + "v = torch.tensor([1., 2.])\n(v * 3).sum().backward()": "torch.tensor([1., 2.], requires_grad=True)",
    HEAD + "v = torch.ones(2)\nv.register_hook(print)": "v = torch.ones(2, requires_grad=True)",
    HEAD + "v = torch.zeros(2)\nv.retain_grad()": "v = torch.zeros(2, requires_grad=True)",
    HEAD + "i = torch.tensor([1, 2])\ni ** -1": "i.float() ** -1",
    HEAD + "b = torch.tensor([True])\n1 - b": "1 - b.float()",
    HEAD + "b = torch.tensor([True])\n(b & b) - 1": "((b & b).float()) - 1",
    HEAD + "b = torch.tensor([True])\nb - b": "b ^ b",
    HEAD + "b = torch.tensor([True])\n-b": "~b",
    HEAD + "v = torch.ones(2)\n~v": "~v.bool()",
    LEAF + "import copy\ncopy.deepcopy(a * 2)": "copy.deepcopy((a * 2).detach())",
    LEAF + "y = a * 2\ny.requires_grad = False": "y = y.detach()",
    HEAD + "m = torch.ones(2, 2)\ntorch.ones(2).mm(m)": "torch.ones(2).matmul(m)",
    HEAD + "torch.ones(2, 2, 2).t()": "torch.ones(2, 2, 2).mT",
    HEAD + "v = torch.ones(2)\ntorch.where(v, 1, 2)": "torch.where(v.bool(), 1, 2)",
    HEAD + "v = torch.ones(2)\nv[v]": "v[v.long()]",
    HEAD + "v = torch.zeros(2)\nv.gather(0, v)": "v.gather(0, v.long())",
    HEAD + "v = torch.zeros(2)\ntorch.index_select(v, 0, v)": "torch.index_select(v, 0, v.long())",
    HEAD + "i = torch.tensor([1, 2])\ni.softmax(0)": "i.float().softmax(0)",
    HEAD + "i = torch.tensor([1, 2])\ntorch.var(i)": "torch.var(i.float())",
    HEAD + "v = torch.ones(2, 2).triu(1)\nv.masked_fill(v, -1e9)": "v.masked_fill(v.bool(), -1e9)",
    HEAD + "torch.nn.functional.nll_loss(torch.ones(2, 2), torch.ones(2))": "torch.ones(2).long())",
    HEAD + "torch.ones(2, device='cuda')": "torch.ones(2, device='cuda' if torch.cuda.is_available() else 'cpu')",
    HEAD + "v = torch.ones(2)\nprint(v.shape())": "print(v.shape)",
    HEAD + "v = torch.ones(2)\nfloat(v)": "v.tolist()",
    HEAD + "z = torch.tensor(1j)\nfloat(z)": "float(z.real)",
    HEAD + "v = torch.ones(2)\nif v > 0:\n    print(1)": "if (v > 0).any():",
    HEAD + "torch.zeros(2, 2).inverse()": "torch.zeros(2, 2).pinverse()",
    LEAF + "a.grad = torch.ones(2, 2).double()": "a.grad = torch.ones(2, 2).double().to(a.dtype)",
    # names
    LEAF + "c = a.sum()\nc.bakward()": "c.backward()",
    HEAD + "torch.on_like(torch.ones(2))": "torch.ones_like(torch.ones(2))",
    HEAD + "learning_rate = 3\nprint(learnin_rate)": "print(learning_rate)",
    "import math\nx = torch.ones(2)": "import torch\nimport math\nx = torch.ones(2)",
    '"""doc"""\nfrom __future__ import division\nx = np.ones(2)': "import numpy as np\nx = np.ones(2)",
    HEAD
    + "x = Variable(torch.ones(2))": "from torch.autograd import Variable\nimport torch\nx = Variable(torch.ones(2))",
    "import torch as t\nx = tensor([1.])": "x = t.tensor([1.])",
    "for i in xrange(2): print(i)": "for i in range(2): print(i)",
    "pritn(3)": "print(3)",
    "class A:\n    def forward(self): return 1\nA().forwrd()": "A().forward()",
    "import torhc": "import torch",
    "from torch.autograd import Varible as V": "from torch.autograd import Variable as V",
    "from tochr.autograd import Variable": "from torch.autograd import Variable",
    # texts
    "x = 1\nprint x\nif x:\n    print 'a', x": "print(x)\nif x:\n    print('a', x)",
    "x = [1，2]\ny = （“a”）": 'x = [1,2]\ny = ("a")',
    "x\u00a0= 1": "x = 1",
    "$ pip install numpy\n$ pip install torch\nx = 1": "# $ pip install numpy\n# $ pip install torch\nx = 1",
    "print((1)\nx = 2": "print((1))\nx = 2",
    "x = [1,\n  2\ny = 3": "x = [1,\n  2]\ny = 3",
    "for i in [1]\n    print(i)": "for i in [1]:\n    print(i)",
    ">>> import torch\n>>> c = torch.ones(2, requires_grad=True) * 2\n>>> c.backward()": ">>> c.backward(torch.ones",
}


@pytest.mark.parametrize("source", FIXES)
def test_a_fix_gets_past_the_error(source: str) -> None:
    program, trace = fixed(source)
    assert FIXES[source] in program
    assert trace.error is None, trace.error


@pytest.mark.parametrize(
    "source",
    [
        HEAD + "u = torch.ones(2)\nv = torch.ones(2)\n(u + v).sum().backward()",
        HEAD + "torch.ones(2) + torch.ones(3)",
        "1 / 0",
        "raise ValueError('mine')",
        "completely_unknown_name",
        "open(1)",
        "import socket",
        HEAD + "torch.sparse.sum(torch.ones(2))",
    ],
)
def test_no_fix_is_better_than_a_wrong_one(source: str) -> None:
    assert error_of(source).fix is None


def test_a_record_names_the_tensor_and_the_place() -> None:
    source = LEAF + "def loss(x):\n    y = x * 2\n    return y.backward()\nloss(a)"
    record = error_of(source)
    assert [(frame.function, frame.span and frame.span.line) for frame in record.frames] == [
        ("<module>", 6),
        ("loss", 5),
    ]
    assert record.span == record.frames[-1].span
    assert record.tensor is not None
    assert record.explanation.en.startswith("`y` is a 2×2 matrix with 4 elements, ")
