"""What docs/limitations.md says to differ does differ, and what it says to be missing is missing.

Each row has words of the page and a program in which Gradflow and PyTorch part. Where both come to the same, the page tells of
a difference that is gone: take the line away, and the row with it.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import Final

import pytest
import torch

from gradflow.engine.run import run

PAGE: Final = (Path(__file__).parents[3] / "docs" / "limitations.md").read_text(encoding="utf-8")
TEXT: Final = " ".join(PAGE.split())
WEIGHTED: Final = "x = torch.ones(2, requires_grad=True)\n"
DIFFERS: Final = {
    "Polynomials of `torch.special` of a degree above 20000 are NaN": (
        "print(torch.special.chebyshev_polynomial_t(torch.tensor(0.5), 20001))"
    ),
    "A write into a tensor of indices used before is not noticed": (
        WEIGHTED + "i = torch.tensor([0])\ny = x[i]\ni.add_(1)\ny.sum().backward()\nprint(x.grad)"
    ),
    "its `is_conj()` is False": (
        "z = torch.ones(2, dtype=torch.complex64, requires_grad=True)\n"
        "z.conj().backward(torch.ones(2, dtype=torch.complex64))\nprint(z.grad.is_conj())"
    ),
    "What is computed of dual numbers under `no_grad` has no tangent": (
        "import torch.autograd.forward_ad as fw\nwith fw.dual_level(), torch.no_grad():\n"
        "    print(fw.unpack_dual(fw.make_dual(torch.ones(1), torch.ones(1)) * 2).tangent)"
    ),
    "`torch.autograd.functional` inside `inference_mode` raises here": (
        "with torch.inference_mode():\n    print(torch.autograd.functional.jacobian(lambda x: x * x, torch.ones(2)))"
    ),
    "what functions saved of it stays as it was": (
        WEIGHTED + "y = x * x\nx.data = torch.zeros(2)\ny.sum().backward()\nprint(x.grad)"
    ),
    "`_version` of a `.grad` that PyTorch made by indexing": WEIGHTED + "x.max().backward()\nprint(x.grad._version)",
    "`backward(seed)` through a pure view copies the seed": (
        WEIGHTED + "g = torch.ones(2)\nx.view(2).backward(g)\nprint(x.grad.data_ptr() == g.data_ptr())"
    ),
    "`torch.is_grad_enabled()` stays False under `enable_grad`": (
        "with torch.inference_mode(), torch.enable_grad():\n    print(torch.is_grad_enabled())"
    ),
    "the end of an open slice": WEIGHTED + "print(x[1:].grad_fn._saved_end)",
    "the correction of `std`": WEIGHTED + "print(x.std().grad_fn._saved_correction)",
    "views made before keep the old, and new elements are 0": (
        "x = torch.ones(2)\nv = x.view(2)\nx.resize_(6)\nv.fill_(5)\nprint(x[:2])"
    ),
    "PyTorch records the last copy (`linalg.norm`)": (
        WEIGHTED + "o = torch.empty(())\ntorch.linalg.norm(x, out=o)\nprint(o)"
    ),
    "or refuses what requires grad (`diff`)": WEIGHTED + "o = torch.empty(1)\ntorch.diff(x, out=o)\nprint(o)",
    "Antialiased interpolation of uint8 is refused": (
        "x = torch.ones(1, 1, 4, 4, dtype=torch.uint8)\n"
        "print(torch.nn.functional.interpolate(x, size=2, mode='bilinear', antialias=True))"
    ),
    "`savetxt`": "import numpy as np\nprint(callable(np.savetxt))",
    "`np.longdouble`": "import numpy as np\nprint(np.longdouble is None)",
    "`resize`, `np": "import numpy as np\na = np.ones(2)\na.resize(4)\nprint(a)",
    "`array.shape = ...` within a function": (
        "import numpy as np\ndef f():\n    a = np.ones(4)\n    a.shape = (2, 2)\n    return a\nprint(f())"
    ),
    "`np.concatenate(t)` of one tensor works": "import numpy as np\nprint(np.concatenate(torch.ones(2, 2)))",
    "so that float16 with a complex number is complex64": "print((torch.ones(1, dtype=torch.float16) * 1j).dtype)",
    "return what `out=` was given, in PyTorch None": (
        "print(torch.split_with_sizes_copy(torch.ones(2), [1, 1], out=[torch.empty(1), torch.empty(1)]))"
    ),
    "functions (`torch.mul(p, 2)`) take it as empty": "print(torch.mul(torch.nn.LazyLinear(2).weight, 2))",
    "(`Normal.__mro__`)": "print(torch.distributions.Normal.__mro__)",
    "gradients are recorded under its name (`AddBackward0`)": (
        "print(type(torch._foreach_add([torch.ones(1, requires_grad=True)], 1)[0].grad_fn).__name__)"
    ),
    "Outputs of `conv3d` lie channels last": (
        "x = torch.ones(1, 2, 4, 4, 4).contiguous(memory_format=torch.channels_last_3d)\n"
        "print(torch.nn.functional.conv3d(x, torch.ones(3, 2, 2, 2, 2)).stride())"
    ),
    "there is no `.graph`": "print(hasattr(torch.jit.script(torch.nn.Linear(1, 1)), 'graph'))",
    "A causal mask of `torch.nn.attention.bias` is a plain tensor": (
        "from torch.nn.attention.bias import causal_lower_right\nprint(type(causal_lower_right(2, 2)))"
    ),
    "in PyTorch they are dense": (
        "a = torch.eye(2).to_sparse_csr().requires_grad_()\n(a @ torch.ones(2, 1)).sum().backward()\nprint(a.grad)"
    ),
    "and for `EmbeddingBag`, where it is dense": (
        "e = torch.nn.EmbeddingBag(3, 2, sparse=True)\ne(torch.tensor([[0, 1]])).sum().backward()\n"
        "print(e.weight.grad.is_sparse)"
    ),
    "(`nn.Linear.reset_parameters = ...` is refused)": "class L(torch.nn.Linear):\n    pass\n"
    "before = torch.nn.Linear.reset_parameters\ntorch.nn.Linear.reset_parameters = before",
    "`torch.nn.functional` and the layout `torch.jagged` refuse them": (
        "print(torch.nn.functional.relu(torch.nested.nested_tensor([torch.ones(2)])).is_nested)"
    ),
    "`multiprocessing.Process` is missing": "import multiprocessing\nprint(callable(multiprocessing.Process))",
    "the statements of a `Timer` do not run": (
        "import torch.utils.benchmark as b\nx = []\nb.Timer('x.append(1)', globals={'x': x}).timeit(2)\nprint(len(x) > 0)"
    ),
    "`torch.ops` has the program's own functions only": "print(torch.ops.aten.add(torch.ones(1), 1))",
    "`print(torch.add)` shows a Python function": "print(str(torch.add)[:10])",
    "(`meshgrid` of a matrix": "torch.meshgrid(torch.ones(2, 2))",
    "`unflatten` by two -1)": "torch.ones(4).unflatten(0, (-1, -1))",
    "`nan_to_num` of complex numbers can be differentiated here": (
        "print(torch.nan_to_num(torch.ones(1, dtype=torch.complex64, requires_grad=True)).requires_grad)"
    ),
    "`binary_cross_entropy_with_logits` of complex numbers": (
        "z = torch.ones(2, dtype=torch.complex64)\nprint(torch.nn.functional.binary_cross_entropy_with_logits(z, z))"
    ),
    "`soft_margin_loss` of bool": "b = torch.tensor([True])\nprint(torch.nn.functional.soft_margin_loss(b, b))",
    "`dir()` without an argument": "print(dir())",
    "`type(grad_fn).__mro__` is refused": WEIGHTED + "print(type(x.exp().grad_fn).__mro__)",
    "An `ImportError` does not end with the path": "from torch import foo",
    'no `"single"`': "compile('1', 'f', 'single')\nprint(1)",
    "`sleep` does not wait": "import time\na = time.time()\ntime.sleep(0.1)\nprint(time.time() - a > 0.05)",
    "Third derivatives through layer and batch normalisation": (
        "x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True, dtype=torch.float64)\n"
        "y = torch.nn.functional.layer_norm(x, (3,))\n"
        "g, = torch.autograd.grad((y**3).sum(), x, create_graph=True)\n"
        "h, = torch.autograd.grad((g**2).sum(), x, create_graph=True)\n"
        "print(torch.autograd.grad((h**2).sum(), x))"
    ),
}
"""Words of the page, and a program."""


def outcomes(program: str) -> tuple[tuple[str, object], tuple[str, object]]:
    """What is printed and raised by Gradflow and by PyTorch."""
    text = f"import torch\n{program}"
    trace = run(text)
    printed, raised = io.StringIO(), None
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(text, {"__name__": "__main__"})
        except Exception as error:
            raised = (type(error).__name__, str(error))
    ours = None if trace.error is None else (trace.error.type, trace.error.message)
    return (trace.stdout, ours), (printed.getvalue(), raised)


@pytest.mark.parametrize("words", DIFFERS)
def test_what_is_said_to_differ_differs(words: str) -> None:
    assert words in TEXT
    ours, theirs = outcomes(DIFFERS[words])
    assert ours != theirs


def missing() -> list[str]:
    """The names that the page lists as missing, as programs have them."""
    rows = re.findall(r"^- (?:Functions of `torch`|Methods): (.*?)(?=^- )", PAGE, re.MULTILINE | re.DOTALL)
    assert len(rows) == 2
    return [f"torch.{name}" for row in rows for name in re.findall(r"`(\w[\w.]*)`", row)]


@pytest.mark.parametrize("name", missing())
def test_what_is_said_to_be_missing_is_missing(name: str) -> None:
    module, _, last = name.rpartition(".")
    how = f"import torch\nfrom {module} import {last}" if "attention" in name else f"import torch\n{name}"
    error = run(how).error
    assert error is not None
    assert "exists in PyTorch but is not available in Gradflow" in error.message
    exec(how, {"torch": torch})
