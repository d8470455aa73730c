"""Classes and their methods: a class kept in the place of its object, ``super`` of another class, methods that stand outside."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, insertion
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.origins.uncalled import CLASS_FOR_OBJECT, handed_on
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor


@finds(*CLASS_FOR_OBJECT)
def _class_kept(case: Case) -> Finding | None:
    """``self.act = nn.ReLU``, and ``self.act(x)``, which makes a layer of the tensor."""
    for call in case.nodes(ast.Call):
        if not isinstance(call.func, ast.Attribute) or call.lineno > case.span.line or not call.args:
            continue
        kind = case.value(call.func)
        if not isinstance(kind, type) or not issubclass(kind, Layer):
            continue
        kept = [
            one
            for one in case.nodes(ast.Assign)
            if case.text(call.func) in [case.text(part) for part in one.targets]
            and isinstance(one.value, ast.Name | ast.Attribute)
        ]
        if len(kept) != 1 or not all(isinstance(Flow(case).tensor(one), Tensor) for one in call.args):
            continue
        named = kept[0].value
        given = handed_on(case, call.func)
        if given is not None and isinstance(case.parents.get(given), ast.Call | ast.keyword):
            continue  # told where it is given
        target = case.text(call.func)
        return finding(
            case,
            f"Line {line(named)} keeps the class `{case.text(named)}` itself under `{target}`, for the brackets behind it are missing, so"
            f" {code(case, call)} on line {line(call)} makes a layer with the tensor for a setting. Make the layer there: `{case.text(named)}()`.",
            f"第 {line(named)} 行把类 `{case.text(named)}` 本身存成了 `{target}`，因为后面少了括号，所以第 {line(call)} 行的 {code(case, call)} 是在创建层，把张量当成了"
            f"设置。请在那里创建层：`{case.text(named)}()`。",
            case.fix(case.after(named, "()"), kept[0]),
            named,
        )
    return None


@finds(python.TYPE)
def _super_of_another(case: Case) -> Finding | None:
    """``super(Encoder, self).__init__()`` in the class ``Decoder``."""
    call = case.find(ast.Call)
    if call is None or "super(type, obj)" not in str(case.details.get("message", "")):
        return None
    if getattr(call.func, "id", "") != "super":
        found = [one for one in ast.walk(call) if isinstance(one, ast.Call) and getattr(one.func, "id", "") == "super"]
        call = found[0] if found else call
    owner = case.enclosing(call, ast.ClassDef)
    if owner is None or not call.args or case.text(call.args[0]) == owner.name:
        return None
    other = case.text(call.args[0])
    return finding(
        case,
        f"`super({other}, self)` stands in the class `{owner.name}` (line {line(owner)}), whose objects are no `{other}`; the first name must be that of"
        f" the class itself. Write `super()`, which finds it alone.",
        f"`super({other}, self)` 写在类 `{owner.name}`（第 {line(owner)} 行）里，而它的对象不是 `{other}`；第一个名字必须是这个类自己。请写 `super()`，"
        f"它会自己找到。",
        write(case, call, "super()"),
        call,
    )


@finds(errors.NO_FORWARD)
def _method_outside(case: Case) -> Finding | None:
    """``def forward(self, x)`` at the margin, behind the class that it was meant for."""
    name = str(case.details.get("type", ""))
    owner = next((one for one in case.nodes(ast.ClassDef) if one.name == name), None)
    body = case.program.tree.body
    if owner is None or owner not in body:
        return None
    behind = body[body.index(owner) + 1 :]
    outside: list[ast.FunctionDef] = []
    for one in behind:
        if not isinstance(one, ast.FunctionDef) or not one.args.args or one.args.args[0].arg != "self":
            break
        outside.append(one)
    forward = next((one for one in outside if one.name == "forward"), None)
    if forward is None:
        return None
    indent = " " * (owner.body[0].col_offset - owner.col_offset)
    edits = [
        insertion(number, 0, indent)
        for one in outside
        for number in range(min([line(one), *map(line, one.decorator_list)]), (one.end_lineno or line(one)) + 1)
        if case.line(number).strip()
    ]
    plain = all(case.is_plain(edit.span.line) for edit in edits) and '"""' not in "".join(map(case.text, outside))
    return finding(
        case,
        f"`forward` on line {line(forward)} begins at the left margin, so it is a function of its own, and the class `{name}` (line {line(owner)}) has"
        f" none. Indent it like `{getattr(owner.body[0], 'name', '__init__')}`, into the class.",
        f"第 {line(forward)} 行的 `forward` 从最左边开始，所以它是一个单独的函数，而类 `{name}`（第 {line(owner)} 行）里没有 `forward`。请像"
        f" `{getattr(owner.body[0], 'name', '__init__')}` 那样缩进到类里面。",
        apply(case, edits, "Indent `forward` into the class", "把 `forward` 缩进到类里") if plain else (),
        forward,
    )


@finds(mistakes.NEEDS_SELF, errors.TOO_MANY_ARGUMENTS)
def _self_given_twice(case: Case) -> Finding | None:
    """``self.encode(self, x)``."""
    call = case.find(ast.Call)
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name), args=[ast.Name(id=first), *_]) if (
            owner == first
        ):
            pass
        case _:
            return None
    methods = [one for one in case.nodes(ast.FunctionDef) if one.name == name and case.enclosing(one, ast.ClassDef)]
    if call is None or not methods or not isinstance(call.args[0], ast.Name):
        return None
    text = f"{owner}.{name}({', '.join(case.text(one) for one in (*call.args[1:], *call.keywords))})"
    return finding(
        case,
        f"The `{owner}` before the point is handed to `{name}` (line {line(methods[-1])}) as its `self` already, and {code(case, call)} gives it once"
        f" more in the brackets. Leave it out there: `{text}`.",
        f"点号前面的 `{owner}` 已经作为 `self` 交给了 `{name}`（第 {line(methods[-1])} 行），而 {code(case, call)} 在括号里又给了一次。请去掉括号里的：`{text}`。",
        case.fix(case.without_argument(call, call.args[0]), call),
        call,
    )


@finds(errors.NO_MODULE_SUBCLASS)
def _names_in_list(case: Case) -> Finding | None:
    """``nn.ModuleList({"a": layer})``."""
    call = case.find(ast.Call)
    if call is None or not call.args or not isinstance(call.func, ast.Attribute | ast.Name):
        return None
    kind = str(getattr(call.func, "attr", getattr(call.func, "id", "")))
    made = definition(case, call.args[0])
    if kind not in ("ModuleList", "Sequential") or not isinstance(made, ast.Dict | ast.DictComp):
        return None
    text = f"{case.text(call.func)[: -len(kind)]}ModuleDict"
    return finding(
        case,
        f"`{case.text(call.func)}` numbers its layers, and {code(case, call.args[0])} is a dictionary, whose keys it takes for them. Layers under names"
        f" are kept by `{text}`.",
        f"`{case.text(call.func)}` 用编号保存层，而 {code(case, call.args[0])} 是字典，它把键当成了层。用名字保存层请写 `{text}`。",
        case.fix(case.rename_end(call.func, kind, "ModuleDict"), call) if kind == "ModuleList" else (),
        call,
    )


_AS_LAYER: Final = {
    "tanh": "Tanh",
    "relu": "ReLU",
    "sigmoid": "Sigmoid",
    "gelu": "GELU",
    "silu": "SiLU",
    "elu": "ELU",
    "leaky_relu": "LeakyReLU",
    "softplus": "Softplus",
    "selu": "SELU",
}


@finds(errors.MODULE_ASSIGNMENT)
def _function_for_layer(case: Case) -> Finding | None:
    """``net.act = torch.tanh`` where ``act`` is a layer."""
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    if not isinstance(statement, ast.Assign) or "Module" not in str(case.details.get("wanted", "")):
        return None
    given = statement.value
    layer = _AS_LAYER.get(str(getattr(given, "attr", "")))
    if layer is None or case.value(given) is UNKNOWN or isinstance(case.value(given), type):
        return None
    name, target = str(case.details.get("name", "")), case.text(statement.targets[0])
    nn = "nn" if "nn" in case.values else f"{case.module_alias('torch') or 'torch'}.nn"
    text = f"{nn}.{layer}()"
    return finding(
        case,
        f"`{target}` holds a layer, and where one was registered only a layer can follow; {code(case, given)} is a function. Its form as a layer is"
        f" `{text}`.",
        f"`{target}` 里是一个层，已登记为层的名字 `{name}` 只能再换成层；而 {code(case, given)} 是函数。它对应的层是 `{text}`。".replace(
            f" `{name}` ", ""
        ),
        write(case, given, text, statement),
        given,
    )
