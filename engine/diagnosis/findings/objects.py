"""Attributes that an object has not, and values that are no pair: what is missing where they were made."""

from __future__ import annotations

import ast
import re

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.modules import renamed_method
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import moved_behind
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Span


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _uncalled(case: Case) -> Finding | None:
    """``x.sum.backward()``: the brackets of a method are missing."""
    node = case.find(ast.Attribute)
    if node is None or case.details.get("type") not in ("method", "builtin_function_or_method", "function"):
        return None
    made = case.assignment(node.value.id) if isinstance(node.value, ast.Name) else node.value
    if not isinstance(made, ast.Attribute):
        return None
    return finding(
        case,
        f"`{case.text(made)}` on line {line(made)} is the method itself, for it has no brackets, so nothing was computed. Call"
        f" it: `{case.text(made)}()`.",
        f"第 {line(made)} 行的 `{case.text(made)}` 是方法本身，没有括号，所以什么都没有计算。请调用它：`{case.text(made)}()`。",
        case.fix(case.after(made, "()"), case.statement(made)),
        made,
    )


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _grown(case: Case) -> Finding | None:
    """``tensor.append(x)``."""
    node, value = case.find(ast.Attribute), case.details.get("value")
    if node is None or node.attr not in ("append", "extend", "push") or not isinstance(value, Tensor):
        return None
    made = case.assignment(node.value.id) if isinstance(node.value, ast.Name) else None
    empty = isinstance(made, ast.Call) and case.text(made).endswith(
        ("tensor([])", "empty(0)", "Tensor()", "Tensor([])")
    )
    return finding(
        case,
        f"{code(case, node.value)} is a tensor, whose size is fixed; only lists have `{node.attr}`. Collect in a list,"
        f" `{case.text(node.value)} = []`, and make a tensor of it at the end, with `torch.stack` or `torch.tensor`.",
        f"{code(case, node.value)} 是张量，大小固定；只有列表才有 `{node.attr}`。请先收集到列表 `{case.text(node.value)} = []` 里，最后再用"
        f" `torch.stack` 或 `torch.tensor` 变成张量。",
        case.fix(case.replace(made, "[]"), case.statement(made)) if empty and made is not None else (),
        made,
    )


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _parameter_of_list(case: Case) -> Finding | None:
    """``nn.Parameter([1., 2.])``."""
    call = case.find(ast.Call)
    if call is None or case.text(call.func).rpartition(".")[2] != "Parameter" or not call.args:
        return None
    given = call.args[0]
    if isinstance(case.value(given), Tensor) or isinstance(given, ast.Call):
        return None
    torch, imports = case.with_torch()
    text = f"{torch}.tensor({case.text(given)})"
    return finding(
        case,
        f"`{case.text(call.func)}` makes a parameter of a tensor, and {code(case, given)} is none. Make it a tensor first: `{text}`.",
        f"`{case.text(call.func)}` 把张量变成参数，而 {code(case, given)} 不是张量。请先变成张量：`{text}`。",
        case.fix([*case.replace(given, text), *imports], call),
    )


@finds(errors.NO_FORWARD)
def _inside(case: Case) -> Finding | None:
    """``forward`` indented into ``__init__``."""
    for function in case.nodes(ast.FunctionDef):
        outer = case.enclosing(function, ast.FunctionDef)
        if function.name != "forward" or outer is None or case.enclosing(outer, ast.ClassDef) is None:
            continue
        methods = [one for one in outer.body if isinstance(one, ast.FunctionDef) and _takes_self(one)] or [function]
        place, edits = case.program.span_of(outer), []
        for span in map(case.program.span_of, methods):
            if span is not None and place is not None:
                width = span.column - place.column
                rows = range(span.line, span.end_line + 1)
                edits += [
                    case.cut(Span(row, place.column, row, place.column + width))
                    for row in rows
                    if case.line(row).strip()
                ]
        others = ", ".join(f"`{one.name}`" for one in methods)
        them, so, so_zh = (
            ("it", "it is a function", "它只是其中的函数")
            if len(methods) == 1
            else ("them all", "they are functions", "它们只是其中的函数")
        )
        return finding(
            case,
            f"{others} (from line {line(methods[0])}) stand indented in `{outer.name}`, so {so} inside of that and the class"
            f" has no `forward`. Move {them} to the left, level with `def {outer.name}`."
            if len(methods) > 1
            else f"`forward` on line {line(function)} is indented into `{outer.name}`, so {so} inside of that and the class"
            f" has none. Move {them} to the left, level with `def {outer.name}`.",
            f"{others}（从第 {line(methods[0])} 行起）缩进到了 `{outer.name}` 里面，所以{so_zh}，类本身没有 `forward`。请左移，与"
            f" `def {outer.name}` 对齐。",
            apply(case, edits, f"Move {others} to the left", f"把 {others} 左移") or (),
            function,
        )
    return None


def _takes_self(function: ast.FunctionDef) -> bool:
    return bool(function.args.args) and function.args.args[0].arg == "self"


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _own_attribute(case: Case) -> Finding | None:
    """What the object of a class of the program has not: set without ``self.``, or spelled otherwise."""
    node, value = case.find(ast.Attribute), case.details.get("value")
    owners = [one for one in case.nodes(ast.ClassDef) if one.name == type(value).__name__]
    if node is None or not owners:
        return None
    stored = [
        one
        for one in ast.walk(owners[-1])
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store)
    ]
    for one in stored:
        if isinstance(one, ast.Name) and one.id == node.attr:
            return finding(
                case,
                f"`{one.id}` is set on line {line(one)} without `self.`, so it is a local variable there and the object has none."
                f" Write `self.{one.id}`.",
                f"第 {line(one)} 行设置 `{one.id}` 时没有写 `self.`，所以它只是那里的局部变量，对象里没有。请写 `self.{one.id}`。",
                case.fix(case.before(one, "self."), case.statement(one)),
                one,
            )
    same = [one for one in stored if isinstance(one, ast.Attribute) and one.attr == node.attr]
    if same and line(same[0]) > line(node):
        return _too_early(case, node, same[0])
    others = [one for one in stored if isinstance(one, ast.Attribute) and one.attr != node.attr]
    near = [one for one in others if one_apart(one.attr, node.attr)]
    if len({one.attr for one in near}) != 1:
        return None
    if _is_usual(case, owners[-1], node, near):
        return finding(
            case,
            f"Line {line(near[0])} sets `{near[0].attr}`, which nothing reads: a misspelling of `{node.attr}`, which line {line(node)} reads. Correct it where it"
            f" is set: `{case.operand(near[0].value)}.{node.attr}`.",
            f"第 {line(near[0])} 行设置的 `{near[0].attr}` 没有任何地方读取：它是 `{node.attr}` 的误写，而第 {line(node)} 行读取的是后者。请在设置的地方改正："
            f"`{case.operand(near[0].value)}.{node.attr}`。",
            case.fix([e for one in near for e in case.rename_end(one, one.attr, node.attr)], case.statement(near[0])),
            near[0],
        )
    return finding(
        case,
        f"The object has no `{node.attr}`; line {line(near[0])} sets `{near[0].attr}`, which is spelled nearly the same. Write"
        f" `{case.operand(node.value)}.{near[0].attr}`.",
        f"对象没有 `{node.attr}`；第 {line(near[0])} 行设置的是拼写相近的 `{near[0].attr}`。请写 `{case.operand(node.value)}.{near[0].attr}`。",
        case.fix(case.rename_end(node, node.attr, near[0].attr), node),
        near[0],
    )


def _is_usual(case: Case, owner: ast.ClassDef, node: ast.Attribute, near: list[ast.Attribute]) -> bool:
    """Whether the name that is read is the right one: nothing reads what was set, and the program knows the other as a word."""
    own = near[0].attr
    if any(one.attr == own and isinstance(one.ctx, ast.Load) for one in case.nodes(ast.Attribute)):
        return False
    reads = [one for one in ast.walk(owner) if isinstance(one, ast.Attribute) and one.attr == node.attr]
    words = [one.replace("_", "") for one in re.findall(r"\w+", case.program.source.lower())]
    right, wrong = (words.count(one.lower().replace("_", "")) for one in (node.attr, own))
    return len(reads) > len(near) or right - len(reads) > wrong - len(near)


def _too_early(case: Case, node: ast.Attribute, later: ast.Attribute) -> Finding:
    """``self.fc = nn.Linear(d, self.hidden)`` above ``self.hidden = 8``."""
    first, second = case.statement(node), case.statement(later)
    fix = None
    if first is not None and second is not None and case.parents.get(first) is case.parents.get(second):
        edits = moved_behind(case, first, second, before=True)
        fix = apply(case, edits, f"Move line {line(later)} up", f"把第 {line(later)} 行移到前面")
    return finding(
        case,
        f"`{case.text(node)}` is read on line {line(node)} and set only on line {line(later)}, so the object has none yet. Set it"
        f" first.",
        f"第 {line(node)} 行就读取了 `{case.text(node)}`，而第 {line(later)} 行才设置它，这时对象还没有它。请先设置。",
        fix or (),
        later,
    )


def one_apart(one: str, other: str) -> bool:
    """Whether two names differ in one letter, in two that are swapped, or in capitals and underscores."""
    if one.replace("_", "").lower() == other.replace("_", "").lower() or sorted(one) == sorted(other):
        return True
    if len(one) == len(other):
        return sum(a != b for a, b in zip(one, other, strict=True)) == 1
    short, long = sorted((one, other), key=len)
    return len(long) == len(short) + 1 and any(long[:k] + long[k + 1 :] == short for k in range(len(long)))


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _batch(case: Case) -> Finding | None:
    """``for x in loader``: a batch of a data set of several tensors is a list."""
    node = case.find(ast.Attribute)
    if node is None or not isinstance(node.value, ast.Name) or case.details.get("type") not in ("list", "tuple"):
        return None
    value, name = case.value(node.value), node.value.id
    loops = [one for one in case.nodes(ast.For) if isinstance(one.target, ast.Name) and one.target.id == name]
    if (
        not loops
        or not isinstance(value, list | tuple)
        or not value
        or not all(isinstance(one, Tensor) for one in value)
    ):
        return None
    names = ", ".join([name, *(["y"] if len(value) == 2 and "y" not in case.values else ["_"] * (len(value) - 1))])
    return finding(
        case,
        f"In the loop of line {line(loops[-1])} each `{name}` is a `{type(value).__name__}` of {len(value)} tensors, not one tensor."
        f" Unpack it: `for {names} in ...`.",
        f"第 {line(loops[-1])} 行的循环里，每个 `{name}` 是含 {len(value)} 个张量的 `{type(value).__name__}`，不是单个张量。请解包："
        f"`for {names} in ...`。",
        case.fix(case.replace(loops[-1].target, names), None),
        loops[-1].target,
    )


@finds(mistakes.NOT_ENOUGH_VALUES, mistakes.TOO_MANY_VALUES)
def _unpacked(case: Case) -> Finding | None:
    """How many values there are, and of what."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    source = (
        statement.value
        if isinstance(statement, ast.Assign)
        else statement.iter
        if isinstance(statement, ast.For)
        else None
    )
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if source is None or not isinstance(target, ast.Tuple | ast.List):
        return None
    if (
        type(case.value(source.func) if isinstance(source, ast.Call) else None).__name__ == "LSTM"
        and len(target.elts) == 3
    ):
        names = [case.text(one) for one in target.elts]
        text = f"{names[0]}, ({names[1]}, {names[2]})"
        return finding(
            case,
            f"An LSTM gives two things: its outputs, and a pair of the last states. Write `{text} = ...`.",
            f"LSTM 返回两样东西：输出，以及最后状态组成的一对。请写成 `{text} = ...`。",
            case.fix(case.replace(target, text), None),
        )
    value = (
        None
        if isinstance(source, ast.Call) and isinstance(case.value(source.func), Layer)
        else Flow(case).tensor(source)
    )
    what = f", a tensor of the shape {list(value.shape)}," if isinstance(value, Tensor) else ""
    what_zh = f"（形状为 {list(value.shape)} 的张量）" if isinstance(value, Tensor) else ""
    actual = value.shape[0] if isinstance(value, Tensor) and value.dim() else case.details.get("actual")
    gives = f"gives {actual}" if actual is not None else "gives another number of"
    gives_zh = f"给出 {actual} 个" if actual is not None else "给出的个数不同"
    return finding(
        case,
        f"{len(target.elts)} names stand to the left of `=`, and {code(case, source)}{what} {gives} values. Write one name for"
        f" each.",
        f"`=` 左边有 {len(target.elts)} 个名字，而 {code(case, source)}{what_zh}{gives_zh}。请为每个值写一个名字。",
        None,
        source,
    )


@finds(
    errors.NO_ATTRIBUTE,
    python.ATTRIBUTE,
    errors.NO_PARAMETERS,
    mistakes.TAKES_NO_ARGUMENTS,
    errors.TOO_MANY_ARGUMENTS,
    errors.UNEXPECTED_KEYWORD,
)
def _constructor(case: Case) -> Finding | None:
    """``def _init_(self)`` is never run, so nothing that it sets is there."""
    value = case.details.get("value")
    called = str(case.details.get("function", "")).removesuffix(".__init__")
    wanted = type(value).__name__ if isinstance(value, Layer) else called or str(case.details.get("type", ""))
    for owner in case.nodes(ast.ClassDef):
        methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        wrong = [
            name
            for name in methods
            if name.strip("_").lower() in ("init", "int", "inti", "initialize") and name != "__init__"
        ]
        if len(wrong) == 1 and "__init__" not in methods and owner.name == wanted:
            method = methods[wrong[0]]
            return finding(
                case,
                f"The constructor on line {line(method)} is called `{wrong[0]}`, so Python never runs it and nothing that it sets"
                f" exists. Write `__init__`, with two underscores on each side.",
                f"第 {line(method)} 行的构造函数名叫 `{wrong[0]}`，Python 不会运行它，里面设置的东西都不存在。请写成 `__init__`，两边各"
                f"两个下划线。",
                renamed_method(case, method, "__init__"),
                method,
            )
    return None
