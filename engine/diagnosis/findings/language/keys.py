"""Keys that a dictionary has not: the ones that it has, and the one that was probably meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final, TypeGuard

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.names import closest, is_one_letter_apart
from gradflow.engine.errors.language import python
from gradflow.engine.namespace.nn.module import Module as Layer

_MOST: Final = 6


@finds(python.KEY)
def _other_keys(case: Case) -> Finding | None:
    """``heads['values']`` where the key is ``'value'``."""
    node = case.find(ast.Subscript)
    if node is None:
        return _group_without_parameters(case)
    keys = _keys(case.value(node.value))
    if keys is None:
        return None
    wanted = case.value(node.slice)
    made = case.assignment(node.value.id) if isinstance(node.value, ast.Name) else None
    place, place_zh = on_line(made)
    shown = ", ".join(f"`{key!r}`" for key in keys[:_MOST]) + (", ..." if len(keys) > _MOST else "")
    what, what_zh = code(case, node.value), code(case, node.value)
    has = f"{what}{place} has the keys {shown}" if keys else f"{what}{place} is empty"
    has_zh = (
        f"{what_zh}{place_zh} 的键有 {shown.replace(', ...', ' 等').replace(', ', '、')}"
        if keys
        else f"{what_zh}{place_zh} 是空的"
    )
    key = f"`{wanted!r}`" if isinstance(wanted, str | int | float | bool) else code(case, node.slice)
    if (position := _position(case, node, keys, wanted)) is not None:
        return position
    if (counted := _counted(case, node, keys, (has, has_zh))) is not None:
        return counted
    other = _meant(wanted, keys)
    from_data = isinstance(node.slice, ast.Name) or (
        _reserve(case, node, keys) is not None and not isinstance(node.slice, ast.Constant)
    )
    if other is None and from_data and isinstance(node.ctx, ast.Load) and len(keys) > 1 and _numbers_texts(case, node):
        key = f"`{case.details.get('message')}`" if key == code(case, node.slice) else key
        return _unknown(case, node, keys, key, (has, has_zh))
    if other is None:
        return finding(
            case,
            f"{has}, and none is {key}. Use one that is there, or put the value in first.",
            f"{has_zh}，没有 {key}。请使用已有的键，或者先把值放进去。",
            None,
            made,
        )
    text = repr(other)
    fix = case.fix(case.replace(node.slice, text), node) if isinstance(node.slice, ast.Constant) else None
    return finding(
        case,
        f"{has}, and none is {key}. Write `{case.operand(node.value)}[{text}]`.",
        f"{has_zh}，没有 {key}。请写成 `{case.operand(node.value)}[{text}]`。",
        fix,
        made,
    )


_COUNTERS: Final = frozenset({"i", "j", "k", "n", "idx", "index", "id", "num", "number", "pos"})
"""Names of what counts along."""


def _counted(case: Case, node: ast.Subscript, keys: list[object], has: tuple[str, str]) -> Finding | None:
    """``{w: i for w, i in enumerate(words)}``: the number comes first, and so it has become the key."""
    if not keys or any(type(one) is not int for one in keys) or type(case.value(node.slice)) is int:
        return None
    found = next(_by_enumerate(case, node.value), None)
    if found is None:
        return None
    target, source = found
    first, second = (case.text(one) for one in target.elts)
    if first.rstrip("0123456789") in _COUNTERS:
        text = f"{{{second}: {first} for {first}, {second} in {case.text(source)}}}"
        return finding(
            case,
            f"{has[0]}: it gives the element of a number, and here it is asked for the number of an element. That is the other direction: `{text}`.",
            f"{has[1]}：它由序号给出元素，而这里要由元素求序号，方向相反：`{text}`。",
            (),
            target,
        )
    text = f"{second}, {first}"
    return finding(
        case,
        f"{has[0]}: `enumerate` gives the number first and then the element, so on line {target.lineno} `{first}` is the number, and the numbers have become the"
        f" keys. Change the two about: `for {text} in {case.text(source)}`.",
        f"{has[1]}：`enumerate` 先给出序号，再给出元素，所以第 {target.lineno} 行的 `{first}` 是序号，而序号成了键。请交换两者：`for {text} in {case.text(source)}`。",
        case.fix(case.replace(target, text), target),
        target,
    )


def _by_enumerate(case: Case, owner: ast.expr) -> Iterator[tuple[ast.Tuple, ast.expr]]:
    """The two names of an `enumerate` that a dictionary was filled by, whose first one became the key."""
    made = definition(case, owner)
    if isinstance(made, ast.DictComp):
        for one in made.generators:
            if _is_enumerate(one.iter) and _is_first(one.target, made.key):
                yield one.target, one.iter
    for statement in case.nodes(ast.Assign):
        loop = case.enclosing(statement, ast.For)
        for target in statement.targets:
            if not isinstance(target, ast.Subscript) or case.text(target.value) != case.text(owner) or loop is None:
                continue
            if _is_enumerate(loop.iter) and _is_first(loop.target, target.slice):
                yield loop.target, loop.iter


def _is_enumerate(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "enumerate"


def _is_first(target: ast.expr, key: ast.expr) -> TypeGuard[ast.Tuple]:
    """Whether a key is the first of two names."""
    match target, key:
        case ast.Tuple(elts=[ast.Name(id=first), ast.Name()]), ast.Name(id=name):
            return first == name
    return False


def _numbers_texts(case: Case, node: ast.Subscript) -> bool:
    """Whether a dictionary has a number for each of some texts, as vocabularies do."""
    held = case.value(node.value)
    return (
        isinstance(held, Mapping)
        and all(type(one) is str for one in held)
        and all(type(one) is int for one in held.values())
    )


def _unknown(case: Case, node: ast.Subscript, keys: list[object], key: str, has: tuple[str, str]) -> Finding:
    """A key that comes from the data: looked up with the entry for what is unknown in reserve, where there is one."""
    owner, name = case.text(node.value), case.text(node.slice)
    en = f"{has[0]}, and `{name}` is {key} here, which is none of them: texts that are not in the table can come up at any time."
    zh = f"{has[1]}，而这里的 `{name}` 是 {key}，不在其中：表里没有的内容随时可能出现。"
    reserve = _reserve(case, node, keys)
    if reserve is None:
        text = f"{owner}.get({name}, {owner}['<unk>'])"
        return finding(
            case,
            f"{en} Where `{owner}` is made, give what is unknown an entry of its own, such as `'<unk>'`, and fall back on that: `{text}`.",
            f"{zh}请在创建 `{owner}` 的地方为未知内容加一个条目，例如 `'<unk>'`，查不到时就用它：`{text}`。",
            (),
            node,
        )
    text = f"{owner}.get({name}, {owner}[{reserve!r}])"
    return finding(
        case,
        f"{en} `{reserve!r}` is the entry for what is unknown. Fall back on it: `{text}`.",
        f"{zh}`{reserve!r}` 就是留给未知内容的条目。查不到时请用它：`{text}`。",
        case.fix(case.replace(node, text), case.statement(node)),
        node,
    )


def _reserve(case: Case, node: ast.Subscript, keys: list[object]) -> str | None:
    """The key of the entry for what is unknown, in a dictionary that numbers its keys."""
    held = case.value(node.value)
    if not isinstance(held, Mapping) or not all(type(one) is int for one in held.values()):
        return None
    return next((one for one in keys if isinstance(one, str) and _bare(one) in _FOR_UNKNOWN), None)


def _bare(key: str) -> str:
    """The letters of a key, small."""
    return "".join(one for one in key.lower() if one.isalpha())


_FOR_UNKNOWN: Final = frozenset({"unk", "unknown", "oov", "other", "others", "misc", "rare", "missing"})
"""Names of the entry that stands for everything that has none."""


def _position(case: Case, node: ast.Subscript, keys: list[object], wanted: object) -> Finding | None:
    """``self.rows[idx]`` in ``__getitem__``, of a dictionary whose keys are numbers of another kind than positions."""
    outer: ast.AST | None = node
    while outer is not None and not isinstance(outer, ast.FunctionDef | ast.Lambda):
        outer = case.parents.get(outer)
    if not isinstance(outer, ast.FunctionDef) or outer.name != "__getitem__" or len(outer.args.args) != 2:
        return None
    if not isinstance(node.slice, ast.Name) or node.slice.id != outer.args.args[1].arg:
        return None
    if type(wanted) is not int or not 0 <= wanted < len(keys) or any(type(key) is not int for key in keys):
        return None
    rows, name = case.text(node.value), node.slice.id
    shown = ", ".join(f"`{key}`" for key in keys[:_MOST])
    return finding(
        case,
        f"`__getitem__` is asked for positions, from 0 to {len(keys) - 1}; {code(case, node.value)} has {len(keys)} entries, and its keys are"
        f" other numbers (the first are {shown}): `{name}` is {wanted} here, which is none of them. Look up by position in a list of the"
        f" entries, which is best made once, in `__init__`: `list({rows}.values())[{name}]`.",
        f"对 `__getitem__` 请求的是位置，从 0 到 {len(keys) - 1}；{code(case, node.value)} 有 {len(keys)} 个条目，而它的键是另外一些数（开头的是"
        f" {shown.replace(', ', '、')}）：这里的 `{name}` 是 {wanted}，不在其中。请在由各条目组成的列表中按位置查找，这个列表最好在 `__init__`"
        f" 中一次建好：`list({rows}.values())[{name}]`。",
        (),
        node,
    )


def _keys(held: object) -> list[object] | None:
    """The keys of a dictionary, or of the layers that a module keeps under names."""
    if isinstance(held, Layer):
        held = held._modules or held._parameters
    plain = isinstance(held, Mapping) and all(isinstance(key, str | int | float) for key in held)
    return list(held) if isinstance(held, Mapping) and plain else None


def _meant(wanted: object, keys: list[object]) -> object | None:
    """The key that was probably meant: spelled nearly the same, or the same as a number or as a text."""
    alike = [key for key in keys if str(key) == str(wanted) and type(key) is not type(wanted)]
    if len(alike) == 1:
        return alike[0]
    if not isinstance(wanted, str):
        return None
    words = [key for key in keys if isinstance(key, str)]
    short = [key for key in words if _is_short_for(wanted, key) or _is_short_for(key, wanted)]
    if len(short) == 1:
        return short[0]
    one_off = [key for key in words if is_one_letter_apart(wanted, key)]
    return closest(wanted, words) or (one_off[0] if len(one_off) == 1 and wanted.isalpha() else None)


def _is_short_for(short: str, long: str) -> bool:
    """``lr`` for ``learning_rate``, ``epochs`` for ``num_epochs``."""
    parts = long.lower().split("_")
    return len(parts) > 1 and (
        short.lower() == "".join(one[:1] for one in parts) or (len(short) > 2 and short.lower() in parts)
    )


def _group_without_parameters(case: Case) -> Finding | None:
    """``SGD([{"parameters": ...}])``: a group of an optimizer has its tensors under ``"params"``."""
    call = case.find(ast.Call)
    groups = [one for one in ast.walk(call) if isinstance(one, ast.Dict)] if call is not None else []
    if "params" not in str(case.details.get("message", "")) or not groups:
        return None
    for group in groups:
        keys = [one for one in group.keys if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        wrong = next((one for one in keys if str(one.value).startswith("param")), None)
        if "params" in [one.value for one in keys] or wrong is None:
            continue
        return finding(
            case,
            f"A group of an optimizer has its tensors under the key `'params'`, and {code(case, group)} has `{case.text(wrong)}`."
            f" Write `'params'`.",
            f"优化器的每一组要把张量放在键 `'params'` 下，而 {code(case, group)} 里写的是 `{case.text(wrong)}`。请写 `'params'`。",
            case.fix(case.replace(wrong, "'params'"), group),
        )
    return None
