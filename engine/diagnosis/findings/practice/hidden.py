"""Names that hide others: an attribute that has the name of a method, a variable that has that of a module, a method that is not called."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant import modes
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line
from gradflow.engine.diagnosis.fixers import finally_finds, finds
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_CALLS: Final[dict[str, tuple[str, ...]]] = {
    "eval": ("train",),
    "train": ("train", "children"),
    "zero_grad": ("parameters",),
    "to": ("_apply",),
}
"""Which methods of itself a method of a module calls."""


@finds(mistakes.NOT_CALLABLE)
def _method_hidden(case: Case) -> Finding | None:
    """``self.train = True``, and ``model.eval()``, which calls ``train``."""
    call = case.find(ast.Call)
    if call is None or not isinstance(call.func, ast.Attribute):
        return None
    whole = case.value(call.func.value)
    if not isinstance(whole, Layer):
        return None
    name = call.func.attr
    held, hidden = _hiding(whole, name)
    made = _setting(case, held, hidden) if hidden is not None else None
    if hidden is None or made is None:
        return None
    through = f", which `{case.text(call.func)}` calls" if hidden != name or held is not whole else ""
    through_zh = f"（`{case.text(call.func)}` 要调用它）" if through else ""
    en = f"Line {line(made)}, {code(case, made)}, gives the object an attribute that hides the method `{hidden}` of every module{through}."
    zh = f"第 {line(made)} 行的 {code(case, made)} 给对象设置的属性遮住了每个模块都有的方法 `{hidden}`{through_zh}。"
    if hidden in modes.MODES and type(vars(held).get(hidden)) is bool:
        text = modes.setting(case, made, hidden)
        return finding(
            case,
            f"{en} A module has a flag for this, `self.training`, which `train()` and `eval()` switch. Use that one: `{text}`.",
            f"{zh}模块自带这样的标志 `self.training`，由 `train()` 和 `eval()` 切换。请使用它：`{text}`。",
            modes.with_own_flag(case, held, hidden) or (),
            made,
        )
    other = f"{hidden}_" if hidden != "train" else "is_train"
    text = f"self.{other} = {case.text(made.value)}"
    return finding(
        case,
        f"{en} Give the attribute another name: `{text}`.",
        f"{zh}请给属性换一个名字：`{text}`。",
        _renamed(case, made, hidden, other),
        made,
    )


def _hiding(whole: Layer, name: str) -> tuple[Layer, str | None]:
    """The module, of a model whose method fails, that has an attribute in the place of a method, and that name."""
    for held in whole.modules():
        for one in (name, *_CALLS.get(name, ())) if held is whole or name in modes.MODES else ():
            if one in _own(held) and hasattr(type(held), one):
                return held, one
    return whole, None


def _setting(case: Case, held: Layer, name: str) -> ast.Assign | None:
    """The statement that gives an object such an attribute; outside of its classes any."""
    classes = [one.__name__ for one in type(held).__mro__]
    return next(
        (
            statement
            for statement in case.nodes(ast.Assign)
            for target in statement.targets
            if isinstance(target, ast.Attribute)
            and target.attr == name
            and getattr(case.enclosing(statement, ast.ClassDef), "name", classes[0]) in classes
        ),
        None,
    )


def _own(held: Layer) -> set[str]:
    """The attributes that an object has itself."""
    inside = vars(held)
    return {*inside, *inside.get("_modules", {}), *inside.get("_parameters", {})} - {"training"}


def _renamed(case: Case, made: ast.Assign, old: str, new: str) -> Fix | tuple[()]:
    """The attribute under another name, wherever its class uses it and does not call it."""
    owner = case.enclosing(made, ast.ClassDef)
    uses = [
        one
        for one in (ast.walk(owner) if owner is not None else ())
        if isinstance(one, ast.Attribute)
        and one.attr == old
        and ast.unparse(one.value) == "self"
        and not (isinstance(outer := case.parents.get(one), ast.Call) and outer.func is one)
    ]
    edits = [edit for one in uses for edit in case.rename_end(one, old, new)]
    return apply(case, edits, f"`self.{new}`", f"`self.{new}`") or ()


@finds(
    errors.NO_ATTRIBUTE,
    python.ATTRIBUTE,
    errors.NO_MODULE_ATTRIBUTE,
    mistakes.NOT_CALLABLE,
    errors.NO_ARGUMENTS,
    errors.TOO_MANY_ARGUMENTS,
)
def _module_hidden(case: Case) -> Finding | None:
    """``N, F = 32, 10``, and ``F.relu``."""
    node = case.find(ast.Attribute) or getattr(case.find(ast.Call), "func", None)
    owner = node.value if isinstance(node, ast.Attribute) else None
    if not isinstance(node, ast.Attribute) or not isinstance(owner, ast.Name):
        return None
    imported = _imported(case, owner.id)
    taken = [
        one
        for one in case.nodes(ast.Name)
        if one.id == owner.id and isinstance(one.ctx, ast.Store) and line(one) <= case.span.line
    ]
    if imported is None or not taken:
        return None
    value = case.value(owner)
    other = f"n_{owner.id.lower()}" if isinstance(value, int) else f"{owner.id.lower()}_value"
    statement = case.statement(taken[-1])
    shown = (
        f"`for {case.text(statement.target)} in {case.text(statement.iter)}`" if isinstance(statement, ast.For) else ""
    )
    shown = shown or (code(case, statement) if statement is not None else "")
    uses = [
        one
        for one in case.nodes(ast.Name)
        if one.id == owner.id and not isinstance(case.parents.get(one), ast.Attribute) and line(one) >= line(taken[0])
    ]
    edits = [edit for one in uses for edit in case.replace(one, other)]
    return finding(
        case,
        f"`{owner.id}` was {imported[1]} (line {line(imported[0])}) until line {line(taken[-1])},"
        f" {shown}, gave the name to something else. Give the variable another name, such as"
        f" `{other}`.",
        f"`{owner.id}` 本来是第 {line(imported[0])} 行导入的 {imported[1]}，但第 {line(taken[-1])} 行的"
        f" {shown} 把这个名字给了别的东西。请给变量换一个名字，例如 `{other}`。",
        apply(case, edits, f"`{other}`", f"`{other}`") or (),
        taken[-1],
    )


def _imported(case: Case, name: str) -> tuple[ast.stmt, str] | None:
    """The import that a name came from, and what it was."""
    imports: list[ast.Import | ast.ImportFrom] = [*case.nodes(ast.Import), *case.nodes(ast.ImportFrom)]
    for statement in imports:
        for alias in statement.names:
            if (alias.asname or alias.name) == name:
                origin = f"{statement.module}.{alias.name}" if isinstance(statement, ast.ImportFrom) else alias.name
                return statement, f"`{origin}`"
    return None


_METHODS: Final = ("method", "builtin_function_or_method", "function", "method_descriptor", "method-wrapper")


@finds(mistakes.NOT_ITERABLE)
@finally_finds(
    mistakes.NOT_SUBSCRIPTABLE,
    mistakes.NO_LENGTH,
    mistakes.OPERAND_TYPES,
    mistakes.CONCATENATION,
    mistakes.UNORDERED,
)
def _not_called(case: Case) -> Finding | None:
    """``model.state_dict["weight"]``, ``for p in model.parameters``, ``loss.item * 2``."""
    found = case.find(ast.expr) or case.find(ast.For)
    around = case.parents.get(found) if found is not None else None
    failed = around if isinstance(around, ast.Assign) and found in around.targets else found
    told = f"{case.details.get('type', '')} {case.details.get('left', '')} {case.details.get('right', '')} {case.details.get('message', '')}"
    if failed is None or not any(one in told for one in _METHODS):
        return None
    for node in _parts(failed):
        if not isinstance(node, ast.Attribute) or not _is_method(case, failed, node):
            continue
        text, parent = f"{case.text(node)}()", case.parents.get(node)
        return finding(
            case,
            f"{code(case, node)} is the method itself, for its brackets are missing. Call it: `{text}`.",
            f"{code(case, node)} 是方法本身，缺少调用的括号。请写 `{text}`。",
            case.fix(case.after(node, "()"), parent if isinstance(parent, ast.expr) else node),
            node,
        )
    return None


_OF_PYTHON: Final = frozenset(
    ["items", "keys", "values", "copy", "split", "splitlines", "readlines", "strip", "lower", "upper"]
)
"""Methods of Python's own values that need no argument."""


def _is_method(case: Case, failed: ast.AST, node: ast.Attribute) -> bool:
    """Whether what an expression gives is a method that can be called without arguments."""
    owner = case.value(node.value)
    if isinstance(owner, Layer | Tensor | Optimizer):
        return callable(getattr(type(owner), node.attr, None)) and node.attr not in getattr(owner, "__dict__", {})
    alone = [one for one in _parts(failed) if isinstance(one, ast.Attribute)] == [node]
    return node.attr in _OF_PYTHON and (alone if owner is UNKNOWN else isinstance(owner, dict | str | list | set))


def _parts(failed: ast.AST) -> list[ast.expr]:
    """The expressions that what failed was applied to."""
    match failed:
        case ast.Subscript(value=value):
            return [value]
        case ast.For(iter=source) | ast.Assign(value=source):
            return [source]
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
            return [one.iter for one in failed.generators]
        case ast.Call(args=args):
            return list(args)
        case ast.BinOp(left=left, right=right):
            return [left, right]
    return [failed] if isinstance(failed, ast.expr) else []


@finds(mistakes.NOT_SUBSCRIPTABLE)
def _attribute_by_key(case: Case) -> Finding | None:
    """``config["hidden"]`` of an object that has attributes."""
    node = case.find(ast.Subscript)
    key = node.slice.value if node is not None and isinstance(node.slice, ast.Constant) else None
    held = case.value(node.value) if node is not None else UNKNOWN
    if node is None or held is UNKNOWN or not isinstance(key, str) or key not in getattr(held, "__dict__", {}):
        return None
    text = f"{case.operand(node.value)}.{key}"
    kind = type(held).__name__
    return finding(
        case,
        f"{code(case, node.value)} is a `{kind}`, which has attributes, and square brackets are for dictionaries and lists. Write `{text}`.",
        f"{code(case, node.value)} 是 `{kind}`，它有的是属性，而方括号用于字典和列表。请写 `{text}`。",
        case.fix(case.replace(node, text), case.statement(node)),
        node,
    )


@finds(python.NAME)
def _first_turn(case: Case) -> Finding | None:
    """``if loss < best: best = loss`` with no ``best`` before the loop."""
    node = case.find(ast.Name)
    test = case.enclosing(node, ast.Compare) if node is not None else None
    later = [
        one
        for one in case.nodes(ast.Name)
        if node is not None and one.id == node.id and isinstance(one.ctx, ast.Store) and line(one) >= line(node)
    ]
    loop = case.enclosing(node, ast.For) or case.enclosing(node, ast.While) if node is not None else None
    if node is None or test is None or not later or loop is None or len(test.ops) != 1:
        return None
    left = test.left is node
    smaller = isinstance(test.ops[0], ast.Lt | ast.LtE) != left
    text = f'{node.id} = float("{"inf" if smaller else "-inf"}")'
    return finding(
        case,
        f"`{node.id}` gets its first value on line {line(later[0])}, and in the first turn it is compared before that. Give it one before the loop that"
        f" anything is better than: `{text}`.",
        f"`{node.id}` 要到第 {line(later[0])} 行才第一次得到值，而第一轮在此之前就要与它比较。请在循环之前给它一个任何结果都更好的初值：`{text}`。",
        apply(case, case.line_before(loop, text), f"`{text}`", f"`{text}`") or (),
        node,
    )


@finds(errors.ITERATE_SCALAR)
def _without_enumerate(case: Case) -> Finding | None:
    """``for i, v in x`` of a vector."""
    found = case.find(ast.AST)
    loop = case.find(ast.For) or (case.enclosing(found, ast.For) if found is not None else None)
    loop = loop or next((one for one in case.nodes(ast.For) if line(one) == case.span.line), None)
    if loop is None or not isinstance(loop.target, ast.Tuple) or len(loop.target.elts) != 2:
        return None
    text = f"enumerate({case.text(loop.iter)})"
    names = case.text(loop.target)
    return finding(
        case,
        f"{code(case, loop.iter)} gives one number in each turn, and `{names}` stands for two. For the position and the number write `{text}`.",
        f"{code(case, loop.iter)} 每一轮给出一个数，而 `{names}` 要两个。要同时得到位置和数，请写 `{text}`。",
        case.fix(case.replace(loop.iter, text), words=None, shown=loop.iter),
        loop.iter,
    )


@finds(errors.ARGUMENT_TYPE)
def _words_looked_up(case: Case) -> Finding | None:
    """``embedding(["hello", "world"])``."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    held = case.value(given) if given is not None else UNKNOWN
    if given is None or call is None or type(case.value(call.func)).__name__ != "Embedding":
        return None
    texts = [held] if isinstance(held, str) else held if isinstance(held, list | tuple) else []
    if not texts or not all(isinstance(one, str) for one in texts):
        return None
    return finding(
        case,
        f"{code(case, given)} holds texts, and an embedding has numbered rows: it takes whole numbers. Give each word a number first,"
        f" `vocab = {{word: i for i, word in enumerate(words)}}`, and look up with `torch.tensor([vocab[word] for word in {case.text(given)}])`.",
        f"{code(case, given)} 里是字符串，而嵌入表的行只有编号，要用整数来取。请先给每个词一个编号 `vocab = {{word: i for i, word in enumerate(words)}}`，再用"
        f" `torch.tensor([vocab[word] for word in {case.text(given)}])` 查找。",
        (),
        given,
    )
