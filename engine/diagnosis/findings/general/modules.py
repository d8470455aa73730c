"""What a module of PyTorch has not: another module has it, or an old PyTorch had."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.sandbox.gate import Module

_MODULES: Final = (
    "", "nn", "nn.functional", "optim", "optim.lr_scheduler", "linalg", "nn.init", "nn.utils", "utils.data", "autograd", "autograd.functional",
    "func", "distributions", "special", "fft", "nn.utils.rnn", "utils.checkpoint",
)  # fmt: skip


@finally_finds(errors.NO_MODULE_ATTRIBUTE, errors.NO_IMPORT_NAME)
def _in_another(case: Case) -> Finding | None:
    """``torch.random.normal`` for ``torch.normal``."""
    node, module = case.find(ast.Attribute), str(case.details.get("module", ""))
    name = str(case.details.get("name", ""))
    torch = case.module_alias("torch")
    if node is None or torch is None or not module.startswith("torch") or node.attr != name:
        return None
    for path in _MODULES:
        held: object = case.values.get(torch)
        if not isinstance(held, Module):  # the name of a module that the program has given to something else
            return None
        for part in path.split(".") if path else ():
            held = getattr(held, part, UNKNOWN)
        whole = ".".join(one for one in ("torch", path) if one)
        if whole == module or getattr(held, name, UNKNOWN) is UNKNOWN:
            continue
        text = ".".join(one for one in (torch, path, name) if one)
        return finding(
            case,
            f"`{module}` has no `{name}`; `{whole}` has it. Write `{text}`.",
            f"`{module}` 里没有 `{name}`，它在 `{whole}` 里。请写 `{text}`。",
            case.fix(
                case.replace(node, text),
                case.parents.get(node) if isinstance(case.parents.get(node), ast.Call) else node,
            ),
        )
    return None


@finds(errors.NO_MODULE_ATTRIBUTE)
def _variable(case: Case) -> Finding | None:
    """``torch.Variable(x, requires_grad=True)``."""
    node = case.find(ast.Attribute)
    call = case.parents.get(node) if node is not None else None
    if node is None or node.attr != "Variable" or not isinstance(call, ast.Call) or not call.args:
        return None
    given = call.args[0]
    flag = next((one for one in call.keywords if one.arg == "requires_grad"), None)
    inner = case.text(given)
    if (
        flag is not None
        and isinstance(given, ast.Call)
        and not any(one.arg == "requires_grad" for one in given.keywords)
    ):
        inner = f"{inner[:-1]}{', ' if given.args or given.keywords else ''}{case.text(flag)})"
    elif flag is not None:
        inner = f"{inner}.requires_grad_()"
    return finding(
        case,
        f"{code(case, node)} is a word of an old PyTorch: a tensor is its own variable today and has the flag itself. Write `{inner}`.",
        f"{code(case, node)} 是旧版 PyTorch 的写法：现在张量本身就是变量，标志直接写在张量上。请写 `{inner}`。",
        case.fix(case.replace(call, inner), case.statement(call)),
    )
