"""A name that is misspelled where it is given: what is asked for is spelled right, and what is like it is never read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.bindings import registered_name
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.names import closest, is_one_letter_apart
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import python
from gradflow.engine.trace import Edit, Span

_SHORTEST: Final = 4
_WORDS: Final = frozenset({
    "accuracy", "action", "actions", "activation", "attention", "backward", "batch", "bias", "block", "channels",
    "classifier", "conv", "criterion", "data", "dataset", "decoder", "delta", "device", "discriminator",
    "dropout", "embedding", "encoder", "epoch", "epochs", "features", "forward", "generator", "gradient", "head",
    "heads", "hidden", "image", "images", "input", "inputs", "label", "labels", "layer", "layers", "learning",
    "length", "linear", "loader", "logits", "loss", "mask", "model", "momentum", "network", "norm", "number",
    "optimizer", "output", "outputs", "params", "pool", "position", "predict", "prediction", "predictions",
    "probability", "projection", "query", "rate", "reward", "rewards", "running", "scale", "scheduler",
    "sequence", "shortcut", "size", "softmax", "state", "states", "step", "target", "targets", "test", "total",
    "train", "training", "transform", "valid", "validation", "value", "values", "weight", "weights", "width",
})  # fmt: skip
"""Words of such programs: of two spellings one that is such a word is right."""
Given = tuple[ast.AST, list[Edit]]
"""Where a name is given, and the edits that spell it otherwise there."""


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE)
def _attribute(case: Case) -> Finding | None:
    """``self.bacthnorm = ...``, and ``self.batchnorm(x)``."""
    node = case.find(ast.Attribute)
    owner = case.details.get("value")
    if node is None or not isinstance(node.ctx, ast.Load) or owner is None:
        return None
    kinds = {one.__name__ for one in type(owner).__mro__}
    if isinstance(owner, type):
        kinds |= {one.__name__ for one in owner.__mro__}
    inside = [one for each in case.nodes(ast.ClassDef) if each.name in kinds for one in ast.walk(each)]
    given = _attributes(case, inside, node.attr)
    read = {one.attr for one in case.nodes(ast.Attribute) if not isinstance(one.ctx, ast.Store)} | _texts(case)
    return _told(case, node.attr, {name: places for name, places in given.items() if name not in read})


def _attributes(case: Case, inside: list[ast.AST], wanted: str) -> dict[str, list[Given]]:
    """The attributes of ``self`` that a class sets, registers or defines, by their names."""
    found: dict[str, list[Given]] = {}
    for one in inside:
        match one:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                found.setdefault(name, []).append((one, case.rename_end(one, name, wanted)))
            case ast.FunctionDef(name=name) if isinstance(case.parents.get(one), ast.ClassDef):
                found.setdefault(name, []).append((one, _defined(case, one, wanted)))
            case ast.Name(id=name, ctx=ast.Store()) if case.enclosing(one, ast.FunctionDef) is None:
                found.setdefault(name, []).append((one, case.replace(one, wanted)))
            case ast.Call() if (name := registered_name(one) or "") and isinstance(one, ast.Call):
                text = case.text(one.args[0]).replace(name, wanted)
                found.setdefault(name, []).append((one.args[0], case.replace(one.args[0], text)))
    return found


def _texts(case: Case) -> set[str]:
    """The texts of a program, by which names are asked for too, without those that only register one."""
    registering = {one.args[0] for one in case.nodes(ast.Call) if registered_name(one) is not None}
    return {one.value for one in case.nodes(ast.Constant) if isinstance(one.value, str) and one not in registering}


@finds(python.NAME)
def _name(case: Case) -> Finding | None:
    """``leraning_rate = 0.1``, and ``learning_rate`` in the call below."""
    node = case.find(ast.Name)
    if node is None or not isinstance(node.ctx, ast.Load):
        return None
    scopes, scope = [case.program.tree], Flow(case).scope(node)
    scopes += [scope] if scope is not case.program.tree else []  # type: ignore[list-item]  # a function
    given: dict[str, list[Given]] = {}
    for one in case.program.nodes:
        match one:
            case ast.Name(id=name, ctx=ast.Store()) if Flow(case).scope(one) in scopes:
                given.setdefault(name, []).append((one, case.replace(one, node.id)))
            case ast.arg(arg=name) if case.enclosing(one, ast.FunctionDef) is scope and one.annotation is None:
                given.setdefault(name, []).append((one, case.replace(one, node.id)))
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if case.parents.get(one) is case.program.tree:
                given.setdefault(name, []).append((one, _defined(case, one, node.id)))
    read = {one.id for one in case.nodes(ast.Name) if not isinstance(one.ctx, ast.Store)}
    read |= {one.arg for each in case.nodes(ast.Call) for one in each.keywords if one.arg} | _texts(case)
    read |= {one for each in case.nodes(ast.Global) for one in each.names}
    return _told(case, node.id, {name: places for name, places in given.items() if name not in read})


@finds(python.KEY)
def _key(case: Case) -> Finding | None:
    """``{"leraning_rate": 0.1}``, and ``config["learning_rate"]``."""
    node = case.find(ast.Subscript)
    held = case.value(node.value) if node is not None else None
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(wanted)), ctx=ast.Load()) if isinstance(held, dict):
            pass
        case _:
            return None
    given: dict[str, list[Given]] = {}
    for one in case.nodes(ast.Constant):
        if isinstance(one.value, str) and one.value in held:
            text = case.text(one).replace(one.value, wanted)
            given.setdefault(one.value, []).append((one, case.replace(one, text) if _is_key(case, one) else []))
    return _told(case, wanted, given)


def _is_key(case: Case, node: ast.Constant) -> bool:
    """Whether a text is a key of a dictionary that is written out, or one that something is stored under."""
    match case.parents.get(node):
        case ast.Dict(keys=keys):
            return node in keys
        case ast.Subscript(ctx=ast.Store()):
            return True
    return False


@finds(errors.UNEXPECTED_KEYWORD)
def _keyword(case: Case) -> Finding | None:
    """``def f(x, leraning_rate=0.1)`` whose body reads ``learning_rate``, and ``f(x, learning_rate=1)``."""
    wanted, name = str(case.details.get("keyword", "")), str(case.details.get("function", "")).split(".")[-1]
    for function in case.nodes(ast.FunctionDef):
        if function.name != name:
            continue
        read = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
        given: dict[str, list[Given]] = {}
        for one in function.args.args + function.args.kwonlyargs:
            if one.arg not in read and one.annotation is None:
                given[one.arg] = [(one, case.replace(one, wanted))]
        if (found := _told(case, wanted, given, certain=wanted in read)) is not None:
            return found
    return None


# ---- which of two spellings is right


def _told(case: Case, wanted: str, given: dict[str, list[Given]], *, certain: bool = False) -> Finding | None:
    near = [name for name in given if is_near(wanted, name)]
    if len(near) != 1 or not all(edits for _, edits in given[near[0]]):
        return None
    wrong, places = near[0], given[near[0]]
    if not certain and _weight(case, wanted, wrong) <= _weight(case, wrong, wanted):
        return None
    node = places[0][0]
    text = f"{case.operand(node.value)}.{wanted}" if isinstance(node, ast.Attribute) else wanted
    does, does_zh, done, done_zh = _DOES.get(type(node), ("sets", "设置", "set", "设置"))
    fix = apply(case, [edit for _, edits in places for edit in edits], f"`{text}`", f"`{text}`")
    return finding(
        case,
        f"Line {line(node)} {does} `{wrong}`, which nothing reads: a misspelling of `{wanted}`, which line {case.span.line} reads. Correct it where it"
        f" is {done}: `{text}`.",
        f"第 {line(node)} 行{does_zh}的 `{wrong}` 没有任何地方读取：它是 `{wanted}` 的误写，而第 {case.span.line} 行读取的是后者。请在{done_zh}的地方改正：`{text}`。",
        fix or (),
        node,
    )


_DOES: Final = {
    ast.FunctionDef: ("defines", "定义", "defined", "定义"),
    ast.ClassDef: ("defines", "定义", "defined", "定义"),
    ast.arg: ("takes", "接收", "taken", "接收"),
}
"""What a statement does with a name, and where it is so, in both languages."""


def is_near(wanted: str, name: str) -> bool:
    """Whether two names can be two spellings of one; numbers in names are never slips."""
    if wanted.startswith(name) or name.startswith(wanted) or _in_american(wanted) == _in_american(name):
        return False  # one and several; two ways of writing one word, neither of them wrong
    if min(len(wanted), len(name)) < _SHORTEST or re.findall(r"\d+", wanted) != re.findall(r"\d+", name):
        return False
    return is_one_letter_apart(wanted, name) or closest(wanted, [name], 0.85) is not None


def _in_american(name: str) -> str:
    return name.lower().replace("s", "z").replace("our", "or").replace("tre", "ter").replace("lling", "ling")


def _weight(case: Case, name: str, other: str) -> int:
    """How much speaks for a spelling: how often its words are in the program, and whether they are known."""
    parts, others = _parts(name), _parts(other)
    own = [one for one, two in zip(parts, others, strict=True) if one != two] if len(parts) == len(others) else parts
    text = case.program.source.lower()
    return sum(text.count(one) + 3 * (one in _WORDS) for one in own)


def _parts(name: str) -> list[str]:
    return [one for one in re.split(r"[_\d]+", name.lower()) if one]


def _defined(case: Case, node: ast.FunctionDef | ast.ClassDef, wanted: str) -> list[Edit]:
    """Another name in the line that defines a function or a class."""
    word = "class" if isinstance(node, ast.ClassDef) else "def"
    return list(_renamed(case, node, f"{word} {node.name}", wanted))


def _renamed(case: Case, node: ast.FunctionDef | ast.ClassDef, head: str, wanted: str) -> Iterator[Edit]:
    at = case.line(line(node)).find(head)
    if at >= 0:
        end = at + len(head)
        yield Edit(Span(line(node), end - len(node.name), line(node), end), wanted)
