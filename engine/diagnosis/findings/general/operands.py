"""Any error: what the failing expression was given, of which shape and kind, and where each of it was made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sized
from types import ModuleType
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, gone_through
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import place
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import GENERAL, finally_finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors import CATALOGUE
from gradflow.engine.errors.error_kind import Shape
from gradflow.engine.errors.language import program, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.stand_ins import Module
from gradflow.engine.tensor import Tensor

_MOST: Final = 4
_UNRELATED: Final = frozenset(
    kind.code for module in (program,) for kind in vars(module).values() if getattr(kind, "code", None) in CATALOGUE
) | {python.MEMORY.code, python.RECURSION.code, python.UNCLASSIFIED.code, python.KEY.code}


def told(error: str, case: Case) -> Finding | None:
    """The words of the catalogue, behind what went into the expression that failed."""
    kind = CATALOGUE.get(error)
    node = case.find(ast.Call) or case.find(ast.BinOp) or case.find(ast.Subscript) or gone_through(case)
    if kind is None or node is None or error in _UNRELATED:
        return None
    told = list(_operands(case, node))[:_MOST]
    if not told:
        return None
    named = {**case.details, "tensor": f"`{case.context.name}`"} if case.context.name else dict(case.details)
    en, zh = ", ".join(one[0] for one in told), "，".join(one[1] for one in told)
    return finding(case, f"Here {en}. {kind.explain('en', named)}", f"这里 {zh}。{kind.explain('zh', named)}", ())


def _operands(case: Case, node: ast.expr) -> Iterator[tuple[str, str, bool]]:
    """What goes in: in English, in Chinese, and whether it is a tensor or a layer."""
    seen = set()
    for one in _parts(node):
        text = code(case, one)
        if text in seen or isinstance(one, ast.Constant):
            continue
        seen.add(text)
        value = Flow(case).tensor(one)
        where, where_zh = place(case, one)
        if isinstance(value, Tensor):
            shape, dtype = Shape(value.shape), f" of `{value.dtype}`" if str(value.dtype) != "torch.float32" else ""
            dtype_zh = f"，类型 `{value.dtype}`" if dtype else ""
            yield f"{text} is {shape:en}{dtype}{where}", f"{text} 是{shape:zh}{dtype_zh}{where_zh}", True
            continue
        held = case.value(one)
        if isinstance(held, Layer):
            made = maker_of(case, held)
            if made is not None:
                yield (
                    f"{text} is {code(case, made)} (line {line(made)})",
                    f"{text} 是第 {line(made)} 行的 {code(case, made)}",
                    True,
                )
        elif _is_told(held) and (isinstance(one, ast.Name) or (held is not None and isinstance(one, ast.Attribute))):
            shown, shown_zh = _described(held)
            yield f"{text} is {shown}{where}", f"{text} 是{shown_zh}{where_zh}", False


def _is_told(held: object) -> bool:
    """Whether a value says something about the error: no function and no module."""
    return (
        held is not UNKNOWN
        and not isinstance(held, ModuleType | Module)
        and (not callable(held) or isinstance(held, type))
    )


def _described(held: object) -> tuple[str, str]:
    """What a value of Python is: a plain one itself, of a collection its kind and how much it holds, of others the class."""
    if held is None or (type(held) in (int, float, str, bool) and len(repr(held)) < 30):
        return f"`{held!r}`", f" `{held!r}`"
    kind = type(held).__name__
    if type(held) in (list, tuple, set, dict, str) and isinstance(held, Sized):
        count = len(held)
        first = next(iter(held), None) if isinstance(held, Iterable) else None
        inner = f" (the first is a `{type(first).__name__}`)" if type(held) in (list, tuple) and count else ""
        inner_zh = f"（第一个是 `{type(first).__name__}`）" if inner else ""
        return f"a `{kind}` of {count}{inner}", f"含 {count} 个元素的 `{kind}`{inner_zh}"
    if isinstance(held, type):
        return f"the class `{held.__name__}`", f"类 `{held.__name__}`"
    return f"a `{kind}`", f" `{kind}`"


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Call(func=func, args=args, keywords=keywords):
            yield func.value if isinstance(func, ast.Attribute) else func
            if isinstance(func, ast.Attribute):
                yield func
            for one in (*args, *(keyword.value for keyword in keywords)):
                yield from one.elts if isinstance(one, ast.List | ast.Tuple) else [one]
        case ast.BinOp(left=left, right=right):
            yield from (left, right)
        case ast.Subscript(value=value, slice=index):
            yield value
            yield from index.elts if isinstance(index, ast.Tuple) else [index]
        case ast.Name() | ast.Attribute():
            yield node


_NAMED = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@finally_finds(
    errors.MODULE_ARGUMENT, errors.OPTIMIZER_ARGUMENT, errors.LAYER_ARGUMENT, errors.LOSS_ARGUMENT, python.VALUE
)
def _number_named(case: Case) -> Finding | None:
    """Any message that names the number that was given: which argument that is."""
    call, message = case.find(ast.Call), str(case.details.get("message", ""))
    numbers = {float(one) for one in _NAMED.findall(message.rpartition("invalid values:")[2])}
    if call is None or not numbers:
        return None
    given = [(f"{one.arg}=", one.value) for one in call.keywords if one.arg] + [("", one) for one in call.args]
    for word, node in given:
        value = case.value(node)
        if not isinstance(value, int | float) or isinstance(value, bool) or float(value) not in numbers:
            continue
        told = " ".join(message.split()).rstrip(".")
        where, where_zh = place(case, node)
        return finding(
            case,
            f"`{word}{case.text(node)}`{where} gives {code(case, call.func)} the number {value}, which it refuses: {told}. Give it another one there.",
            f"`{word}{case.text(node)}`{where_zh} 给 {code(case, call.func)} 的数是 {value}，它不接受：{told}。请在那里换成合适的数。",
            (),
            node,
        )
    return None


GENERAL.append(told)
