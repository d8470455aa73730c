"""The graph behind what PyTorch composes of several functions: their names, their order and their edges, against PyTorch.

`composites.txt` has programs that call ``show`` with tensors; it prints the graph of each.
"""

from __future__ import annotations

import io
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import pytest
import torch

from gradflow.engine.run import run

PROGRAMS = (Path(__file__).parent / "composites.txt").read_text(encoding="utf-8").split("---\n")
HEAD = """import torch, torch.nn as nn, torch.nn.functional as F
def P(*shape): return torch.rand(*shape).requires_grad_()
def reached(root):
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        if node is not None and not any(node is other for other in found):
            found.append(node)
            stack += [following for following, _ in node.next_functions]
    return found
def edge(node, number, functions):
    if node is None: return '-'
    if hasattr(node, 'variable'): return str(tuple(node.variable.shape))
    return f'{[node is other for other in functions].index(True)}.{number}'
def graph(root):
    functions = sorted([n for n in reached(root) if not hasattr(n, 'variable')], key=lambda n: n._sequence_nr())
    for node in functions:
        print(node.name().split('::')[-1], *[edge(n, k, functions) for n, k in node.next_functions])
def show(*tensors):
    for tensor in tensors: graph(tensor.grad_fn)
torch.manual_seed(0)
"""


def of_pytorch(source: str) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(source, "program", "exec"), {"torch": torch})
    return printed.getvalue()


@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
def test_the_functions_and_their_order_are_those_of_pytorch(program: str) -> None:
    trace = run(HEAD + program)
    assert trace.error is None, trace.error
    assert trace.stdout == of_pytorch(HEAD + program)
