"""What a module of PyTorch has not: another module has it, or an old PyTorch had."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import names_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.pytorch import exists
from gradflow.engine.sandbox.gate import Module

_MODULES: Final = (
    "", "nn", "nn.functional", "optim", "optim.lr_scheduler", "linalg", "nn.init", "nn.utils", "utils.data", "autograd", "autograd.functional",
    "func", "distributions", "special", "fft", "nn.utils.rnn", "utils.checkpoint",
)  # fmt: skip


@finds(errors.NO_MODULE_ATTRIBUTE)
def _alias_of_another(case: Case) -> Finding | None:
    """``import torch.functional as F``, and ``F.relu``: the module that has all that is asked of the name."""
    node, module, name = (
        case.find(ast.Attribute),
        str(case.details.get("module", "")),
        str(case.details.get("name", "")),
    )
    if node is None or not isinstance(node.value, ast.Name):
        return None
    alias = node.value.id
    wanted = {one.attr for one in case.nodes(ast.Attribute) if case.text(one.value) == alias}
    imports = [
        one for one in case.nodes(ast.alias) if one.asname == alias or (one.asname is None and one.name == alias)
    ]
    path = next(
        (one for one in _PATHS if one != module and len(wanted) > 1 and all(exists(one, word) for word in wanted)), None
    )
    if len(imports) != 1 or path is None or module == "torch":
        return None
    text = f"import {path} as {alias}"
    statement = case.statement(imports[0])
    alone = isinstance(statement, ast.Import | ast.ImportFrom) and len(statement.names) == 1
    return finding(
        case,
        f"`{alias}` is `{module}` (line {line(imports[0])}), which has no `{name}`; `{path}` has all that is asked of `{alias}` here. Write `{text}`.",
        f"`{alias}` 是 `{module}`（第 {line(imports[0])} 行），其中没有 `{name}`；这里要用的都在 `{path}` 里。请写 `{text}`。",
        case.fix(case.replace(statement, text), statement) if alone and statement is not None else (),
        imports[0],
    )


@finds(errors.NO_IMPORT_NAME)
def _imported_from_another(case: Case) -> Finding | None:
    """``from torch.utils import DataLoader``."""
    alias, name = case.find(ast.alias), str(case.details.get("name", ""))
    statement = case.statement(alias) if alias is not None else None
    if not isinstance(statement, ast.ImportFrom) or statement.module is None:
        return None
    names = [one.name for one in statement.names]
    path = next((one for one in _PATHS if one != statement.module and all(exists(one, word) for word in names)), None)
    if path is None:
        alone = next((one for one in _PATHS if one != statement.module and exists(one, name)), None)
        if alone is None:
            return None
        text = f"from {alone} import {name}"
        return finding(
            case,
            f"`{statement.module}` has no `{name}`; it is in `{alone}`. Import it from there: `{text}`.",
            f"`{statement.module}` 里没有 `{name}`，它在 `{alone}` 里。请从那里导入：`{text}`。",
            (),
            statement,
        )
    listed, listed_zh = names_of(names)
    text = f"from {path} import {', '.join(case.text(one) for one in statement.names)}"
    there = "are" if len(names) > 1 else "is"
    return finding(
        case,
        f"`{statement.module}` has no `{name}`; {listed} {there} in `{path}`. Write `{text}`.",
        f"`{statement.module}` 里没有 `{name}`；{listed_zh} 在 `{path}` 里。请写 `{text}`。",
        case.fix(case.replace(statement, text), statement),
        statement,
    )


_PATHS: Final = (
    "torch.nn.functional", "torch.nn", "torch.utils.data", "torch.optim", "torch.optim.lr_scheduler", "torch.nn.utils.rnn", "torch.nn.utils",
    "torch.autograd", "torch.distributions", "torch.nn.init", "torch.func", "torch.autograd.functional", "torch.linalg", "torch.fft",
    "torch.utils.checkpoint", "torch.nn.utils.parametrizations", "torch",
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
