"""What a model gives, and how it is called: a list of losses, a dictionary, a list of layers."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.kindred.lengths_of_data import counted
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line, on_line, on_other_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Span


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _list_of_losses(case: Case) -> Finding | None:
    """``losses.backward()``."""
    node = case.find(ast.Attribute)
    value = case.value(node.value) if node is not None else None
    if node is None or node.attr not in ("backward", "mean", "sum", "item") or not isinstance(value, list) or not value:
        return None
    if not all(isinstance(one, Tensor) for one in value):
        return None
    name = case.text(node.value)
    made = case.assignment(name) if name.isidentifier() else None
    torch, imports = case.with_torch()
    edits = [
        *case.replace(node.value, f"{torch}.stack({name})" if node.attr != "backward" else f"sum({name})"),
        *imports,
    ]
    place, place_zh = on_line(made)
    text = f"sum({name}).backward()" if node.attr == "backward" else f"{torch}.stack({name}).{node.attr}()"
    return finding(
        case,
        f"`{name}`{place} is a list of {len(value)} tensors, and only a tensor has `{node.attr}`. Make one tensor of them:"
        f" `{text}`.",
        f"`{name}`{place_zh}是含 {len(value)} 个张量的列表，只有张量才有 `{node.attr}`。请先把它们变成一个张量：`{text}`。",
        case.fix(edits, case.statement(node)) if _sums(case, node.attr) else (),
        made,
    )


def _sums(case: Case, attr: str) -> bool:
    """Whether ``sum`` is Python's own."""
    return attr != "backward" or "sum" not in case.values


@finds(errors.ARGUMENT_TYPE, errors.NO_ATTRIBUTE, python.ATTRIBUTE, errors.NO_SIZE)
def _dictionary(case: Case) -> Finding | None:
    """A ``forward`` that returns ``{"logits": ...}``."""
    node = case.find(ast.expr)
    if node is None or "dict" not in (case.details.get("actual"), case.details.get("type")):
        return None
    flow = Flow(case)
    parts = [*node.args] if isinstance(node, ast.Call) else [node.value] if isinstance(node, ast.Attribute) else []
    for part in parts:
        for made in flow.behind(part):
            results = (
                [one for each in flow.called(made) for one in returned(each)] if isinstance(made, ast.Call) else []
            )
            if not results or not isinstance(results[-1], ast.Dict):
                continue
            keys = [case.text(key) for key in results[-1].keys if isinstance(key, ast.Constant)]
            return finding(
                case,
                f"Line {line(results[-1])} returns a dictionary with the keys {', '.join(f'`{key}`' for key in keys)}, and a tensor"
                f" is needed here. Take it out: `{case.operand(part)}[{keys[0] if keys else '...'}]`.",
                f"第 {line(results[-1])} 行返回的是字典，键有 {'、'.join(f'`{key}`' for key in keys)}，而这里需要张量。请取出来："
                f"`{case.operand(part)}[{keys[0] if keys else '...'}]`。",
                case.fix(case.followed(part, f"[{keys[0]}]"), node) if len(keys) == 1 else (),
                results[-1],
            )
    return None


@finds(errors.NO_FORWARD)
def _list_called(case: Case) -> Finding | None:
    """``self.blocks(x)`` of a ``ModuleList``."""
    call = case.find(ast.Call)
    if call is None or case.details.get("type") not in ("ModuleList", "ModuleDict"):
        return None
    kind, owner = str(case.details.get("type")), case.text(call.func)
    given = ", ".join(case.text(one) for one in call.args)
    if kind == "ModuleDict":
        keys = list(getattr(case.value(call.func), "_modules", {}))
        listed = ", ".join(f"`{key!r}`" for key in keys[:6])
        text = f"{owner}[{keys[0]!r}]({given})" if keys else f"{owner}[...]({given})"
        return finding(
            case,
            f"`{owner}` is a `ModuleDict`: it keeps modules under the keys {listed} and is none that computes. Take the one that is meant: `{text}`.",
            f"`{owner}` 是 `ModuleDict`：它用键 {listed.replace(', ', '、')} 保存各个模块，自己不做计算。请取出需要的那个：`{text}`。",
            (),
            call,
        )
    made = _listing(case) if kind == "ModuleList" else None
    place, place_zh = on_other_line(made, call) if made is not None else ("", "")
    return finding(
        case,
        f"`{owner}` is a `{kind}`{place}, a list of layers that has no `forward`, so it cannot be called. Call them one by"
        f" one, `for layer in {owner}: {given or 'x'} = layer({given or 'x'})`, or keep them in `nn.Sequential`.",
        f"`{owner}` 是 `{kind}`{place_zh}，只是层的列表，没有 `forward`，所以不能调用。请逐个调用：`for layer in {owner}: {given or 'x'} = layer({given or 'x'})`，"
        f"或者改用 `nn.Sequential`。",
        _in_sequence(case, made) if made is not None else (),
        made or call,
    )


def _listing(case: Case) -> ast.Call | None:
    """The one list of layers that the program makes."""
    made = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "ModuleList" and len(one.args) == 1]
    return made[0] if len(made) == 1 else None


def _in_sequence(case: Case, made: ast.Call) -> Fix | tuple[()]:
    """``nn.Sequential(*[...])`` in the place of the list."""
    edits = [*case.rename_end(made.func, "ModuleList", "Sequential"), *case.before(made.args[0], "*")]
    return case.fix(edits, made) or ()


def _renamed(case: Case, function: ast.FunctionDef, name: str) -> list[Edit]:
    """Another name in the head of a function."""
    span = case.program.span_of(function)
    if span is None:
        return []
    column = span.column + len("def ")
    return [Edit(Span(span.line, column, span.line, column + len(function.name)), name)]


@finds(mistakes.NO_LENGTH)
def _without_length(case: Case) -> Finding | None:
    """A data set of the program without ``__len__``."""
    name = str(case.details.get("type"))
    owner = next((one for one in case.nodes(ast.ClassDef) if one.name == name), None)
    if owner is None or any(isinstance(one, ast.FunctionDef) and one.name == "__len__" for one in owner.body):
        return None
    if any(isinstance(held := case.value(one), type) and issubclass(held, Layer) for one in owner.bases):
        return None  # a module
    named = next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name.strip("_") == "len"), None)
    if named is not None:
        return finding(
            case,
            f"Line {line(named)} calls the method `{named.name}`, and what a loader and `len()` ask for is `__len__`, with two"
            f" underscores on each side. Rename it.",
            f"第 {line(named)} 行的方法叫 `{named.name}`，而加载器和 `len()` 要找的是前后各有两个下划线的 `__len__`。请改名。",
            case.fix(_renamed(case, named, "__len__"), named),
            named,
        )
    if (known := counted(case, owner)) is not None:
        from_en, from_zh = (
            joined([f"`{one}`" for one in known.sources], "en"),
            joined([f"`{one}`" for one in known.sources], "zh"),
        )
        return finding(
            case,
            f"The class `{name}` on line {line(owner)} has no `__len__`, and a loader asks it how many samples there are: as many as"
            f" {from_en} hold{'s' * (len(known.sources) == 1)}, from which `__getitem__` takes sample `{known.index}`. Add `{known.text}`.",
            f"第 {line(owner)} 行的类 `{name}` 没有 `__len__`，而加载器要问它有多少个样本：`__getitem__` 从 {from_zh} 中取第 `{known.index}` 个样本，"
            f"样本数就是{'它们' if len(known.sources) > 1 else '它'}的长度。"
            f"请加上 `{known.text}`。",
            known.fix or (),
            owner,
        )
    return finding(
        case,
        f"The class `{name}` on line {line(owner)} has no `__len__`, and a loader asks it how many samples there are. Add a method"
        f" `__len__(self)` that returns their number.",
        f"第 {line(owner)} 行的类 `{name}` 没有 `__len__`，而加载器要问它有多少个样本。请加上返回样本数的方法 `__len__(self)`。",
        (),
        owner,
    )


@finds(errors.TARGET_MULTI)
def _one_hot_rows(case: Case) -> Finding | None:
    """Rows of ones and zeros for a loss that takes class numbers."""
    call = case.find(ast.Call)
    if call is None or len(call.args) < 2:
        return None
    flow = Flow(case)
    scores, target = flow.tensor(call.args[0]), flow.tensor(call.args[1])
    if scores is None or target is None or target.shape != scores.shape or target.dim() != 2:
        return None
    array = target._a
    if not ((array == 0) | (array == 1)).all() or not (array.sum(axis=1) == 1).all():
        return None
    made = case.assignment(call.args[1].id) if isinstance(call.args[1], ast.Name) else None
    place, place_zh = on_line(made)
    return finding(
        case,
        f"{code(case, call.args[1])}{place} has a row of one 1 and zeros for each sample, and this loss takes the number of the"
        f" class. The place of the 1 is that number: `.argmax(1)`.",
        f"{code(case, call.args[1])}{place_zh}的每一行由一个 1 和若干 0 组成，而这个损失需要类别编号。1 的位置就是编号：`.argmax(1)`。",
        case.fix(case.followed(call.args[1], ".argmax(1)"), call),
        made,
    )


@finds(errors.LOSS_REFUSED)
def _squeezed_batch(case: Case) -> Finding | None:
    """``net(x).squeeze()`` of a batch of one sample."""
    told, call = str(case.details.get("message", "")), case.find(ast.Call)
    if not told.startswith("size mismatch (got input") or call is None or not isinstance(call.func, ast.Attribute):
        return None
    flow = Flow(case)
    for node in flow.behind(call.func.value):
        if not isinstance(node, ast.Call) or getattr(node.func, "attr", "") != "squeeze" or node.args:
            continue
        before = flow.tensor(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if before is None or before.dim() != 2 or int(before.shape[0]) != 1:
            continue
        return finding(
            case,
            f"{code(case, node)} on line {line(node)} takes every dimension of size 1 away, and for a batch of one sample also that"
            f" of the batch: the scores lose their row, and the target still has one. Leave `.squeeze()` out.",
            f"第 {line(node)} 行的 {code(case, node)} 去掉了所有大小为 1 的维，只有一个样本时连批量维也去掉了：得分没有了行，而目标还有。请去掉"
            f" `.squeeze()`。",
            case.fix(case.without_tail(node), case.statement(node)),
            node,
        )
    return None


_WITH_PLACES: Final = frozenset({"max", "min", "sort", "topk", "median", "mode", "kthvalue"})
"""Functions that give values and their positions along a dimension."""
_ALWAYS_WITH_PLACES: Final = frozenset({"sort", "topk", "mode", "kthvalue"})
"""Those of them that do so also where no dimension is given."""


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _pair_compared(case: Case) -> Finding | None:
    """``(torch.max(out, 1) == y).sum()``."""
    node = case.find(ast.expr)
    whole = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else node
    compared = (
        definition(case, whole.value if isinstance(whole, ast.Attribute) else whole) if whole is not None else None
    )
    if not isinstance(compared, ast.Compare) or case.details.get("type") not in ("bool", None):
        return None
    for side in (compared.left, *compared.comparators):
        made = _given_back(case, definition(case, side))
        if not isinstance(made, ast.Call) or not _gives_places(case, made):
            continue
        text = f"{case.operand(made)}[1]"
        return finding(
            case,
            f"{code(case, made)} on line {line(made)} gives two things, the values and their positions, so {code(case, compared)} compares a pair with"
            f" a tensor and is one `False`. Take the positions: `{text}`.",
            f"第 {line(made)} 行的 {code(case, made)} 给出两样东西：数值和它们的位置，所以 {code(case, compared)} 是拿一对东西与张量比较，结果只是一个 `False`。请取出位置："
            f"`{text}`。",
            case.fix(case.after(made, "[1]"), case.statement(made)),
            made,
        )
    return None


def _given_back(case: Case, made: ast.expr) -> ast.expr:
    """What a function of the program gives back, where it is one expression; any other expression itself."""
    functions = Flow(case).called(made) if isinstance(made, ast.Call) else []
    results = returned(functions[0]) if len(functions) == 1 else []
    return definition(case, results[0]) if len(results) == 1 else made


def _gives_places(case: Case, call: ast.Call) -> bool:
    """Whether a call gives values and positions: along a dimension, or always."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _WITH_PLACES:
        return False
    of_torch = case.text(call.func.value) == (case.module_alias("torch") or "torch")
    needed = of_torch + (call.func.attr not in _ALWAYS_WITH_PLACES)
    return len(call.args) + len(call.keywords) >= needed
