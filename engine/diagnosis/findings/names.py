"""Names that nothing has: an import or ``self.`` that is missing, another spelling, a definition that comes later."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.bindings import registered_name
from gradflow.engine.diagnosis.case import Case, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.diagnosis.fixes.names import IMPORTS, bound_names, import_of, imported, local_layer, member
from gradflow.engine.errors.language import python
from gradflow.engine.trace import Edit, Fix, Span


@finds(python.NAME)
def _name(case: Case) -> Finding | None:
    node = case.find(ast.Name)
    if node is None:
        return None
    return (
        _of_object(case, node)
        or _import(case, node)
        or _later(case, node)
        or _elsewhere(case, node)
        or _other(case, node)
    )


def _of_object(case: Case, node: ast.Name) -> Finding | None:
    fix, place = member(case, node), _set_in(case, node)
    if fix is not None:
        where, where_zh = on_line(place)
        return finding(
            case,
            f"`{node.id}` belongs to the object{where}, and inside of a method what belongs to the object is reached through"
            f" `self`. Write `self.{node.id}`.",
            f"`{node.id}` 属于对象{where_zh}，在方法里要通过 `self` 才能取到。请写成 `self.{node.id}`。",
            fix,
        )
    fix = local_layer(case, node)
    if fix is None:
        return None
    made = next((one for one in case.nodes(ast.Name) if one.id == node.id and isinstance(one.ctx, ast.Store)), node)
    return finding(
        case,
        f"`{node.id}` is set on line {line(made)} without `self.`, so it is a variable of `__init__` alone and gone when that"
        f" ends. Keep it in the object: `self.{node.id}`, there and here.",
        f"第 {line(made)} 行设置 `{node.id}` 时没有写 `self.`，所以它只是 `__init__` 里的局部变量，函数结束就没有了。请保存在对象里："
        f"两处都写成 `self.{node.id}`。",
        fix,
        made,
    )


def _set_in(case: Case, node: ast.Name) -> ast.AST | None:
    for one in case.nodes(ast.Attribute):
        if one.attr == node.id and isinstance(one.ctx, ast.Store):
            return one
    for call in case.nodes(ast.Call):
        if registered_name(call) == node.id:
            return call
    return next((one for one in case.nodes(ast.FunctionDef) if one.name == node.id), None)


def _import(case: Case, node: ast.Name) -> Finding | None:
    name = node.id
    fix, statement = imported(case, name), import_of(name)
    if fix is None or statement is None or (name not in IMPORTS and _has_reading(case, node)):
        return None
    return finding(
        case,
        f"`{name}` is used here, and the program never imports it. Write `{statement}` at the beginning.",
        f"这里用到了 `{name}`，但程序没有导入它。请在开头写上 `{statement}`。",
        fix,
    )


def _has_reading(case: Case, node: ast.Name) -> bool:
    """Whether a name that could be imported is rather one of the program's, spelled otherwise or bound later, or one of torch's."""
    fixer = FIXERS.get(python.NAME.code)
    fix = fixer(case) if fixer is not None else None
    return node.id in bound_names(case.program.tree) or (fix is not None and "import" not in fix.title.en)


def _later(case: Case, node: ast.Name) -> Finding | None:
    """A name that the program binds further down, beside the statement that uses it."""
    statement = case.statement(node)
    body = case.program.tree.body
    if statement not in body:
        return None
    for other in body[body.index(statement) :]:
        names = bound_names(ast.Module([other], [])) if other is not statement else set()
        if node.id in names and not isinstance(other, ast.For | ast.While):
            own = other.name if isinstance(other, ast.FunctionDef | ast.ClassDef) else None
            if own not in (None, node.id):
                continue
            return finding(
                case,
                f"`{node.id}` is defined only on line {line(other)}, after line {line(node)} uses it. Move the definition above"
                f" its first use.",
                f"`{node.id}` 到第 {line(other)} 行才定义，而第 {line(node)} 行已经用到它。请把定义移到第一次使用之前。",
                _moved(case, other, statement),
                other,
            )
    return None


def _moved(case: Case, definition: ast.stmt, use: ast.stmt) -> Fix | None:
    decorators = getattr(definition, "decorator_list", [])
    place, before = case.program.span_of(definition), case.program.span_of(use)
    if place is None or before is None or place.line == before.line or place.column or before.column or decorators:
        return None
    if case.line(place.end_line)[place.end_column :].strip():
        return None
    text = case.program.text_at(place)
    gone = Edit(Span(place.line - 1, len(case.line(place.line - 1)), place.end_line, place.end_column), "")
    name = getattr(definition, "name", None) or case.text(definition)
    edits = [insertion(before.line, 0, f"{text}\n"), gone]
    return apply(
        case, edits, f"Move `{' '.join(name.split())[:50]}` up", f"把 `{' '.join(name.split())[:50]}` 移到前面"
    )


def _elsewhere(case: Case, node: ast.Name) -> Finding | None:
    """A variable of another function."""
    own = case.enclosing(node, ast.FunctionDef)
    if own is None and node.id not in bound_here(case.program.tree):
        for function in case.nodes(ast.FunctionDef):
            if node.id in bound_here(function):
                return finding(
                    case,
                    f"`{node.id}` is a variable inside of the function `{function.name}` (line {line(function)}) and is not"
                    f" known outside of it. Give it back with `return` and assign what the call returns.",
                    f"`{node.id}` 是函数 `{function.name}`（第 {line(function)} 行）里的局部变量，在外面不可见。请用 `return` 返回它，并把"
                    f"调用的结果赋给变量。",
                    None,
                    function,
                )
    return None


def bound_here(scope: ast.Module | ast.FunctionDef) -> set[str]:
    """The variables of a program, or of a function, without those of the functions and classes in it."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(scope.body)
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            found.add(one.id)
        waiting += ast.iter_child_nodes(one)
    return found


_WORDS: Final = {
    "true": "True",
    "false": "False",
    "null": "None",
    "none": "None",
    "nil": "None",
    "NULL": "None",
    "TRUE": "True",
    "FALSE": "False",
}


def _other(case: Case, node: ast.Name) -> Finding | None:
    """Another name that was probably meant."""
    fixer = FIXERS.get(python.NAME.code)
    fix = fixer(case) if fixer is not None else None
    if fix is None and sorted(node.id) == sorted("length"):
        fix = case.fix(case.replace(node, "len"), case.parents.get(node))
    if fix is None:
        return None
    meant = next((edit.text.strip() for edit in fix.edits if edit.text.strip()), "")
    if node.id in _WORDS:
        return finding(
            case,
            f"`{node.id}` is the word of another language; Python writes `{meant}`.",
            f"`{node.id}` 是其他语言的写法；Python 写作 `{meant}`。",
            fix,
        )
    if "." in meant and meant.endswith(f".{node.id}"):
        module = meant.rpartition(".")[0]
        return finding(
            case,
            f"`{node.id}` belongs to `{module}` and was not imported by its bare name. Write `{meant}`.",
            f"`{node.id}` 属于 `{module}`，没有单独导入过这个名字。请写成 `{meant}`。",
            fix,
        )
    bound = _where_bound(case, meant)
    inside = _function_with(case, node)
    if inside is not None and bound:
        return finding(
            case,
            f"`{node.id}` is known inside of `{inside.name}` (line {line(inside)}) alone, and this line stands outside of it. Here there is `{meant}`, defined on line"
            f" {bound}: write `{meant}`.",
            f"`{node.id}` 只在 `{inside.name}`（第 {line(inside)} 行）内部有效，而这一行在它外面。这里有的是第 {bound} 行定义的 `{meant}`：请写成 `{meant}`。",
            fix,
        )
    where = f", defined on line {bound}" if bound else ""
    where_zh = f"（第 {bound} 行定义）" if bound else ""
    return finding(
        case,
        f"Nothing is called `{node.id}`; there is `{meant}`{where}, which is spelled nearly the same. Write `{meant}`.",
        f"没有叫 `{node.id}` 的东西；有一个拼写相近的 `{meant}`{where_zh}。请写成 `{meant}`。",
        fix,
    )


def _function_with(case: Case, node: ast.Name) -> ast.FunctionDef | None:
    """The function that alone knows a name: as a parameter or as a variable, where the name is used outside of it."""
    around = set()
    outer = case.enclosing(node, ast.FunctionDef)
    while outer is not None:
        around.add(outer)
        outer = case.enclosing(outer, ast.FunctionDef)
    for function in case.nodes(ast.FunctionDef):
        names = [one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)]
        if function not in around and (node.id in names or node.id in bound_here(function)):
            return function
    return None


def _where_bound(case: Case, name: str) -> int:
    for one in case.nodes(ast.AST):
        if (isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)) or (
            getattr(one, "name", None) == name or (isinstance(one, ast.arg) and one.arg == name)
        ):
            return line(one)
    return 0


@finds(
    errors.NO_MODULE_ATTRIBUTE, errors.NO_ATTRIBUTE, errors.NO_TYPE_ATTRIBUTE, python.ATTRIBUTE, errors.NO_IMPORT_NAME
)
def _spelled(case: Case) -> Finding | None:
    """An attribute that is spelled nearly the same."""
    wrong = str(case.details.get("name"))
    kind = errors.NO_MODULE_ATTRIBUTE if case.details.get("module") else errors.NO_ATTRIBUTE
    fixer = FIXERS.get(kind.code) if case.find(ast.alias) is None else FIXERS.get(errors.NO_IMPORT_NAME.code)
    fix = fixer(case) if fixer is not None else None
    if fix is None or len(fix.edits) != 1:
        return None
    meant = fix.edits[0].text.strip()
    if not meant.replace("_", "").replace(".", "").isalnum() or meant == wrong:
        return None
    node = case.find(ast.Attribute)
    owner = code(case, node.value) if node is not None else f"`{case.details.get('module')}`"
    return finding(
        case,
        f"{owner} has nothing called `{wrong}`; it has `{meant}`. Write {fix.title.en}.",
        f"{owner} 里没有 `{wrong}`，有的是 `{meant}`。请写成 {fix.title.zh}。",
        fix,
    )
