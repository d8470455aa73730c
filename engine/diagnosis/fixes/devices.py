"""Fixes of programs for a graphics card: everything stays on the CPU."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.trace import Edit, Fix, Text


@fixes(errors.NO_CUDA)
@fixes(errors.MODULE_ASSERTION)
@fixes(errors.NO_ACCELERATOR)
@fixes(errors.INVALID_CARD)
@fixes(errors.DEVICE_NOT_LINKED)
def _on_the_cpu(case: Case) -> Fix | None:
    """All ``.cuda()`` and all ``"cuda"`` at once: the next one would be the next error."""
    edits: list[Edit] = []
    for call in case.nodes(ast.Call):
        match call.func:
            case ast.Attribute(
                value=ast.Attribute(attr="cuda"), attr="synchronize" | "empty_cache" | "manual_seed_all"
            ):
                edits += _nothing(case, call)
            case ast.Attribute(value=ast.Attribute(value=ast.Name(), attr="cuda"), attr=_):
                pass
            case ast.Attribute(attr="cuda"):
                edits += case.without_tail(call)
    for text in case.nodes(ast.Constant):
        if _is_device(text.value) and _is_used(case, text):
            edits += case.replace(text, '"cpu"' if case.text(text)[0] == '"' else "'cpu'")
    return case.fix(edits, words=Text("Stay on the CPU", "改用 CPU"))


@fixes(errors.CUDA_TYPE)
def _type_on_the_cpu(case: Case) -> Fix | None:
    """All ``torch.cuda.FloatTensor`` at once."""
    torch = case.module_alias("torch")
    edits: list[Edit] = []
    for node in case.nodes(ast.Attribute) if torch else ():
        if node.attr.endswith("Tensor") and case.text(node) == f"{torch}.cuda.{node.attr}":
            edits += case.replace(node, f"{torch}.{node.attr}")
    return case.fix(edits, words=Text("Stay on the CPU", "改用 CPU"))


def is_available(test: ast.expr) -> bool:
    """Whether a condition holds only where there is a card: ``torch.cuda.is_available()``."""
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) and any(map(is_available, test.values))
    return "is_available" in ast.unparse(test) and not isinstance(test, ast.UnaryOp | ast.Compare)


def _is_device(value: object) -> bool:
    return isinstance(value, str) and value.partition(":")[0] in ("cuda", "mps", "xpu", "hip", "xla", "npu")


def _nothing(case: Case, call: ast.Call) -> list[Edit]:
    """A call that stands alone does nothing."""
    return case.replace(call, "pass") if isinstance(case.parents.get(call), ast.Expr) else []


def _is_used(case: Case, node: ast.Constant) -> bool:
    """Whether a text can be a device: it is given to a call or has a name, and is not printed or compared."""
    parent = case.parents.get(node)
    if isinstance(parent, ast.Call):
        return called(parent) != "print"
    if isinstance(parent, ast.IfExp) and parent.body is node and is_available(parent.test):
        return False
    return isinstance(parent, ast.keyword | ast.Assign | ast.IfExp | ast.arg | ast.arguments)
