"""Objects of a class of the program that cannot be hashed, for the class says when two of them are equal and nothing of a hash."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, text_with
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.trace import Edit, Fix


@finds(mistakes.UNHASHABLE)
def _equal_without_hash(case: Case) -> Finding | None:
    """``@dataclass class Net(nn.Module)``, or a class with ``__eq__`` alone, in a set, as a key, or as a module."""
    name = str(case.details.get("type", "")).split(".")[-1]
    for owner in _family(case, name):
        written = next((one for one in owner.decorator_list if _is_dataclass(one)), None)
        if written is not None and not _has(owner, "__hash__"):
            return _data_class(case, owner, written, name)
        if _has(owner, "__eq__") and not _has(owner, "__hash__"):
            return _own_equality(case, owner, name)
    return None


def _family(case: Case, name: str) -> Iterator[ast.ClassDef]:
    """The class of this name and those of the program that it is derived from."""
    for _ in range(8):
        owner = next((one for one in reversed(case.nodes(ast.ClassDef)) if one.name == name), None)
        if owner is None:
            return
        yield owner
        name = next((case.text(one) for one in owner.bases), "")


def _has(owner: ast.ClassDef, name: str) -> bool:
    """Whether the body of a class defines a name or assigns it."""
    return any(
        (isinstance(one, ast.FunctionDef) and one.name == name)
        or (isinstance(one, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in one.targets))
        for one in owner.body
    )


def _is_dataclass(node: ast.expr) -> bool:
    """A decorator ``dataclass`` that writes ``__eq__`` and no ``__hash__``."""
    if not isinstance(node, ast.Call):
        return getattr(node, "attr", getattr(node, "id", "")) == "dataclass"
    given = {one.arg: getattr(one.value, "value", None) for one in node.keywords}
    off = given.get("eq", True) is False or given.get("frozen") is True or given.get("unsafe_hash") is True
    return called(node) == "dataclass" and not off


def _is_module(case: Case, name: str) -> bool:
    """Whether a class of the program, or one that it is derived from, is a module."""
    bases = [base for owner in _family(case, name) for base in owner.bases]
    kinds = [case.value(base) for base in bases]
    return any(isinstance(kind, type) and issubclass(kind, Layer) for kind in kinds)


@finds(mistakes.UNHASHABLE)
def _list_for_key(case: Case) -> Finding | None:
    """``table[key]``, ``seen.add(row)`` and ``set(rows)`` where a key or a row is a list."""
    if case.details.get("type") != "list":
        return None
    node = case.find(ast.Subscript) or case.find(ast.Call)
    match node:
        case ast.Subscript(slice=given) | ast.Call(func=ast.Attribute(attr="add" | "get" | "pop"), args=[given, *_]):
            rows = False
        case ast.Call(func=ast.Name(id="set" | "frozenset"), args=[given]):
            rows = True
        case _:
            return None
    held = case.value(given)
    listed = isinstance(held, list) and bool(held) and (not rows or all(isinstance(one, list) for one in held))
    if not listed or isinstance(given, ast.List):
        return None
    text = f"map(tuple, {case.text(given)})" if rows else f"tuple({case.text(given)})"
    what, what_zh = ("holds lists", "里是列表") if rows else ("is a list", "是列表")
    return finding(
        case,
        f"{code(case, given)} {what}, which can change, and a key of a dictionary or an element of a set must not. Make a tuple of"
        f" {'each' if rows else 'it'}: `{text}`.",
        f"{code(case, given)} {what_zh}，可以改变，而字典的键和集合的元素必须不可变。请{'逐个' if rows else ''}变成元组：`{text}`。",
        [case.fix(case.replace(given, text), node)],
        given,
    )


# -- classes of data ---------------------------------------------------------------------------------------------------


def _data_class(case: Case, owner: ast.ClassDef, written: ast.expr, name: str) -> Finding:
    """Of a module the hash stays that of a module; of data that never change it is that of their values."""
    module = _is_module(case, name)
    option = "eq=False" if module or _changes(case, owner) else "frozen=True"
    text = f"@{case.text(written)}"
    edits, changed = _with_option(case, written, option)
    if module:
        why = "a module must have one, for `parameters()` and the like keep the modules that they have met in a set"
        why_zh = "而模块必须有哈希值，因为 `parameters()` 等会把遇到过的模块放进集合"
        what, what_zh = (
            "Leave `__eq__` out, so that the hash of modules stays",
            "请不要生成 `__eq__`，这样模块原有的哈希值就会保留",
        )
    elif option == "eq=False":
        why, why_zh = "a key of a dictionary or an element of a set needs one", "而字典的键和集合的元素必须有哈希值"
        what, what_zh = (
            "Leave `__eq__` out, so that each object is a key of its own",
            "请不要生成 `__eq__`，这样每个对象各自是一个键",
        )
    else:
        why, why_zh = "a key of a dictionary or an element of a set needs one", "而字典的键和集合的元素必须有哈希值"
        what, what_zh = (
            "Make the fields fixed, so that the hash comes from their values",
            "请让字段不可修改，这样哈希值就由字段的值得到",
        )
    return finding(
        case,
        f"`{text}` on line {line(written)} writes an `__eq__` for `{owner.name}`, and so Python takes its hash away: {why}. {what}: `{changed}`.",
        f"第 {line(written)} 行的 `{text}` 为 `{owner.name}` 生成了 `__eq__`，Python 因此取消了它的哈希值，{why_zh}。{what_zh}：`{changed}`。",
        [apply(case, edits, f"`{changed}`", f"`{changed}`")],
        written,
    )


def _with_option(case: Case, written: ast.expr, option: str) -> tuple[list[Edit], str]:
    """The changes that give a decorator an option, and how it then reads."""
    text = case.text(written)
    if not isinstance(written, ast.Call):
        return case.after(written, f"({option})"), f"@{text}({option})"
    same = next((one for one in written.keywords if one.arg == option.split("=")[0]), None)
    if same is not None:
        return case.replace(same, option), f"@{text_with(case, written, same, option)}"
    inner = text[:-1].rstrip().rstrip(",")
    return case.argument(written, option), f"@{inner}{'' if inner.endswith('(') else ', '}{option})"


_FIXED = ("int", "float", "str", "bool", "bytes", "tuple", "complex")


def _changes(case: Case, owner: ast.ClassDef) -> bool:
    """Whether fields of a class of data are written to somewhere, or may hold what has no hash or no plain equality."""
    fields = [one for one in owner.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    names = {one.target.id for one in fields if isinstance(one.target, ast.Name)}
    stored = {one.attr for one in case.nodes(ast.Attribute) if isinstance(one.ctx, ast.Store)}
    fixed = all(case.text(one.annotation).split("[")[0].split(" ")[0].strip("\"'") in _FIXED for one in fields)
    return bool(names & stored) or not fixed


# -- classes that compare ----------------------------------------------------------------------------------------------


def _own_equality(case: Case, owner: ast.ClassDef, name: str) -> Finding | None:
    """``def __eq__`` without ``__hash__``: of a module that of modules, else one of what is compared."""
    method = next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__eq__"), None)
    if method is None:
        return None
    where = f"`__eq__` on line {line(method)}"
    if _is_module(case, name):
        nn = "nn" if "nn" in case.values else "torch.nn"
        text = f"__hash__ = {nn}.Module.__hash__"
        return finding(
            case,
            f"{where} says when two `{owner.name}` are equal, and with that alone Python takes the hash of the class away: a module must have one, for"
            f" `parameters()` and the like keep the modules that they have met in a set. Keep that of modules: `{text}` in the class.",
            f"第 {line(method)} 行的 `__eq__` 规定了两个 `{owner.name}` 何时相等，只写它时 Python 会取消这个类的哈希值，而模块必须有哈希值，因为 `parameters()`"
            f" 等会把遇到过的模块放进集合。请保留模块的哈希值：在类里写 `{text}`。",
            [_member(case, method, text)],
            method,
        )
    parts = _compared(case, method)
    values = f"{', '.join(parts)}{',' * (len(parts) == 1)}"
    text = f"return hash(({values}))" if parts else "def __hash__(self):"
    action = (
        f"Give it a `__hash__` made of what `__eq__` compares: `{text}`"
        if parts
        else f"Give it a `__hash__` that is the same for equal objects: `{text}`"
    )
    action_zh = (
        f"请加上由 `__eq__` 所比较的内容得到的 `__hash__`：`{text}`"
        if parts
        else f"请加上 `__hash__`，相等的对象要得到相同的值：`{text}`"
    )
    return finding(
        case,
        f"{where} says when two `{owner.name}` are equal, and with that alone Python takes the hash of the class away, which a key of a dictionary or an element of a"
        f" set needs. {action}.",
        f"第 {line(method)} 行的 `__eq__` 规定了两个 `{owner.name}` 何时相等，只写它时 Python 会取消这个类的哈希值，而字典的键和集合的元素必须有哈希值。{action_zh}。",
        [_member(case, method, f"def __hash__(self):\n    {text}")] if parts else (),
        method,
    )


def _compared(case: Case, method: ast.FunctionDef) -> list[str]:
    """``self.a`` and ``self.b`` of an ``__eq__`` that compares exactly these with those of the other object."""
    names = [one.arg for one in method.args.args]
    if len(names) != 2:
        return []
    parts: list[str] = []
    for one in ast.walk(method):
        match one:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                own, other = case.text(left), case.text(right)
                if own.replace(names[0], "") != other.replace(names[1], "") or not own.startswith(f"{names[0]}."):
                    return []
                parts.append(own)
            case ast.Call(func=function) if case.text(function) != "isinstance":
                return []
    return list(dict.fromkeys(part.replace(f"{names[0]}.", "self.", 1) for part in parts))


def _member(case: Case, method: ast.FunctionDef, text: str) -> Fix | None:
    """A fix that puts a member behind a method of the class."""
    span = case.program.span_of(method)
    if span is None or not case.is_plain(line(method)):
        return None
    pad = " " * method.col_offset
    body = "\n".join(f"{pad}{row}" for row in text.split("\n"))
    shown = text.split("\n")[-1].strip()
    return apply(case, case.after(method.body[-1], f"\n\n{body}"), f"`{shown}`", f"`{shown}`")
