"""Calls that do not fit what is called: functions of the program, custom Functions, classes, the objects of optimizers."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.nothing import leaf_last
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.fixes.modules import renamed_method
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.errors.language import mistakes, python
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

# -- custom Functions --------------------------------------------------------------------------------------------------


@finds(errors.MISSING_PYTHON_ARGUMENT, errors.TOO_MANY_ARGUMENTS, mistakes.NEEDS_SELF)
def _forward_of_function(case: Case) -> Finding | None:
    """``MyReLU.forward(x)`` in place of ``MyReLU.apply(x)``."""
    match case.find(ast.Call):
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner) as name, attr="forward") as function) as call:
            held = case.value(name)
            if isinstance(held, type) and not issubclass(held, Layer):
                return finding(
                    case,
                    f"`{owner}.forward` was called directly, so the argument takes the place of `ctx` and nothing is recorded."
                    f" A Function of autograd is called through `{owner}.apply`.",
                    f"这里直接调用了 `{owner}.forward`，参数占了 `ctx` 的位置，也不会有任何记录。自定义的 Function 要通过"
                    f" `{owner}.apply` 调用。",
                    case.fix(case.rename_end(function, "forward", "apply"), call),
                )
            if isinstance(held, type):
                return _class_itself(case, name, owner)
    return None


def _class_itself(case: Case, name: ast.expr, owner: str) -> Finding:
    return finding(
        case,
        f"`{owner}` is the class; `forward` needs an object of it. Make one first: `{owner}(...)`, and call that.",
        f"`{owner}` 是类，`forward` 需要它的一个对象。请先创建对象：`{owner}(...)`，再调用它。",
        None,
        name,
    )


@finds(errors.WRONG_GRADIENT_COUNT)
def _gradients_returned(case: Case) -> Finding | None:
    """A gradient for every argument of ``forward``."""
    expected, actual = case.details.get("expected"), case.details.get("actual")
    name = str(case.details.get("name", "")).removesuffix("Backward")
    methods = Flow(case).methods(name)
    backward, forward = methods.get("backward"), methods.get("forward")
    if backward is None or forward is None or not isinstance(expected, int) or not isinstance(actual, int):
        return None
    results = returned(backward)
    inputs = [argument.arg for argument in forward.args.args[1:]]
    last = results[-1] if results else backward
    fix = None
    if results and actual < expected:
        text = ", ".join([case.text(last), *["None"] * (expected - actual)])
        fix = case.fix(case.replace(last, text), case.statement(last))
    elif isinstance(last, ast.Tuple) and all(ast.unparse(one) == "None" for one in last.elts[expected:]):
        fix = case.fix(case.replace(last, ", ".join(case.text(one) for one in last.elts[:expected])), case.statement(last))
    return finding(
        case,
        f"`backward` returns {actual} gradient{'s' * (actual != 1)} on line {line(last)}, but `forward` takes {expected}"
        f" argument{'s' * (expected != 1)} ({', '.join(f'`{one}`' for one in inputs)}). Return one for each, in their order,"
        f" and `None` for those that need none.",
        f"第 {line(last)} 行的 `backward` 返回了 {actual} 个梯度，而 `forward` 有 {expected} 个参数"
        f"（{'、'.join(f'`{one}`' for one in inputs)}）。请按顺序为每个参数各返回一个，不需要梯度的返回 `None`。",
        fix,
        last,
    )


# -- functions of the program ------------------------------------------------------------------------------------------


@finds(errors.MISSING_PYTHON_ARGUMENT, errors.MISSING_ARGUMENT)
def _one_for_several(case: Case) -> Finding | None:
    """``net((a, b))`` for ``net(a, b)``; an argument that is missing."""
    call = case.find(ast.Call)
    functions = Flow(case).called(call) if call is not None else []
    function = functions[0] if functions and isinstance(functions[0], ast.FunctionDef) else None
    if call is None or function is None:
        return None
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    first = call.args[0] if len(call.args) == 1 else None
    if isinstance(first, ast.Tuple | ast.List) and len(first.elts) == len(names):
        text = ", ".join(case.text(one) for one in first.elts)
        return finding(
            case,
            f"{code(case, first)} is one argument, and `{function.name}` (line {line(function)}) takes {len(names)}:"
            f" {', '.join(f'`{one}`' for one in names)}. Leave the inner brackets out: `{case.text(call.func)}({text})`.",
            f"{code(case, first)} 只是一个参数，而 `{function.name}`（第 {line(function)} 行）需要 {len(names)} 个："
            f"{'、'.join(f'`{one}`' for one in names)}。请去掉里面的括号：`{case.text(call.func)}({text})`。",
            case.fix(case.replace(first, text), call),
        )
    missing = names[len(call.args) :]
    missing = [one for one in missing if one not in {keyword.arg for keyword in call.keywords}]
    missing = missing[: max(len(missing) - len(function.args.defaults), 1)]
    if not missing:
        return None
    listed = ", ".join(f"`{one}`" for one in missing)
    return finding(
        case,
        f"`{function.name}` on line {line(function)} takes {', '.join(f'`{one}`' for one in names)}, and this call gives no"
        f" {listed}. Add it to the call.",
        f"第 {line(function)} 行的 `{function.name}` 需要 {'、'.join(f'`{one}`' for one in names)}，而这次调用没有给出"
        f" {listed.replace(', ', '、')}。请在调用中补上。",
        _bound_names(case, call, missing),
    )


def _bound_names(case: Case, call: ast.Call, missing: Sequence[str]) -> Fix | None:
    """Variables that have the very names of the missing parameters."""
    if not all(one in case.values for one in missing) or call.keywords:
        return None
    return case.fix([edit for edit in case.argument(call, ", ".join(missing))], call)


@finds(mistakes.NEEDS_SELF, errors.TOO_MANY_ARGUMENTS, mistakes.TAKES_NO_ARGUMENTS)
def _class_called(case: Case) -> Finding | None:
    """``model = Net`` and then ``model(x)``: the class was never called."""
    call = case.find(ast.Call)
    made = case.assignment(call.func.id) if call is not None and isinstance(call.func, ast.Name) else None
    if not isinstance(made, ast.Name) or not isinstance(case.value(made), type):
        return None
    return finding(
        case,
        f"Line {line(made)} gives `{case.text(call.func)}` the class `{made.id}` itself, so the brackets here make an object of"  # type: ignore[union-attr]
        f" it. Make the object there: `{made.id}()`.",
        f"第 {line(made)} 行把类 `{made.id}` 本身给了 `{case.text(call.func)}`，所以这里的括号是在创建对象。请在那里创建对象："  # type: ignore[union-attr]
        f"`{made.id}()`。",
        case.fix(case.after(made, "()"), case.statement(made)),
        made,
    )


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
    near = [one for one in stored if isinstance(one, ast.Attribute) and _one_apart(one.attr, node.attr)]
    if len({one.attr for one in near}) != 1:
        return None
    return finding(
        case,
        f"The object has no `{node.attr}`; line {line(near[0])} sets `{near[0].attr}`, which is spelled nearly the same. Write"
        f" `{case.text(node.value)}.{near[0].attr}`.",
        f"对象没有 `{node.attr}`；第 {line(near[0])} 行设置的是拼写相近的 `{near[0].attr}`。请写 `{case.text(node.value)}.{near[0].attr}`。",
        case.fix(case.rename_end(node, node.attr, near[0].attr), node),
        near[0],
    )


def _one_apart(one: str, other: str) -> bool:
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
    if not loops or not isinstance(value, list | tuple) or not value or not all(isinstance(one, Tensor) for one in value):
        return None
    names = ", ".join([name, *(["y"] if len(value) == 2 and "y" not in case.values else ["_"] * (len(value) - 1))])
    return finding(
        case,
        f"In the loop of line {line(loops[-1])} each `{name}` is a {type(value).__name__} of {len(value)} tensors, not one tensor."
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
    source = statement.value if isinstance(statement, ast.Assign) else statement.iter if isinstance(statement, ast.For) else None
    target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
    if source is None or not isinstance(target, ast.Tuple | ast.List):
        return None
    value = Flow(case).tensor(source)
    what = f", a tensor of the shape {list(value.shape)}," if isinstance(value, Tensor) else ""
    what_zh = f"（形状为 {list(value.shape)} 的张量）" if isinstance(value, Tensor) else ""
    actual = value.shape[0] if isinstance(value, Tensor) and value.dim() else case.details.get("actual")
    gives = f"gives {actual}" if actual is not None else "gives another number"
    gives_zh = f"给出 {actual} 个" if actual is not None else "给出的个数不同"
    return finding(
        case,
        f"{len(target.elts)} names stand to the left of `=`, and {code(case, source)}{what} {gives} values. Write one name for"
        f" each.",
        f"左边有 {len(target.elts)} 个名字，而 {code(case, source)}{what_zh}{gives_zh}。请为每个值写一个名字。",
        None,
        source,
    )


@finds(errors.NO_ATTRIBUTE, python.ATTRIBUTE, errors.NO_PARAMETERS, mistakes.TAKES_NO_ARGUMENTS)
def _constructor(case: Case) -> Finding | None:
    """``def _init_(self)`` is never run, so nothing that it sets is there."""
    value = case.details.get("value")
    wanted = type(value).__name__ if isinstance(value, Layer) else str(case.details.get("type", ""))
    for owner in case.nodes(ast.ClassDef):
        methods = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)}
        wrong = [name for name in methods if name.strip("_").lower() in ("init", "int", "inti", "initialize") and name != "__init__"]
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


# -- what is no function -----------------------------------------------------------------------------------------------


@finds(mistakes.NOT_CALLABLE)
def _no_function(case: Case) -> Finding | None:
    call = case.find(ast.Call)
    match call:
        case ast.Call(func=ast.Constant() as number, args=[given]):
            text = f"{case.text(number)} * ({case.text(given)})"
            return finding(
                case,
                f"A number stands before the bracket, which Python takes for a call. To multiply write `{text}`.",
                f"括号前面是一个数，Python 会当作函数调用。要相乘请写 `{text}`。",
                write(case, call, text),
            )
        case ast.Call(func=ast.Tuple() | ast.List() as row):
            return finding(
                case,
                f"A comma is missing behind {code(case, row)} on line {row.end_lineno}, so Python calls it with what follows."
                f" Add the comma.",
                f"第 {row.end_lineno} 行的 {code(case, row)} 后面缺了逗号，Python 把它当成函数来调用。请补上逗号。",
                case.fix(case.after(row, ","), None),
                row,
            )
        case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[]) if not callable(case.value(call.func)):
            if isinstance(case.value(owner), Tensor):
                return finding(
                    case,
                    f"`{attr}` of a tensor is a value, not a method, so the brackets behind it are too much. Write"
                    f" `{case.text(call.func)}`.",
                    f"张量的 `{attr}` 是值而不是方法，后面的括号是多余的。请写成 `{case.text(call.func)}`。",
                    write(case, call, case.text(call.func)),
                )
        case ast.Call(func=ast.Name(id=name)):
            return _shadowed(case, call, name)
        case ast.Call(func=ast.BinOp() | ast.Call() as first, args=[_]) if isinstance(case.value(first), Tensor):
            return finding(
                case,
                f"{code(case, first)} is a tensor, and the bracket behind it calls it. If a product was meant, write the `*`.",
                f"{code(case, first)} 是张量，后面的括号表示调用它。如果要相乘，请写上 `*`。",
                case.fix(case.after(first, " * "), call),
            )
    return None


def _shadowed(case: Case, call: ast.Call, name: str) -> Finding | None:
    """A variable that has taken the name of a function; a tensor or a list with round brackets."""
    import builtins

    value = case.value(call.func)
    made = case.assignment(name)
    place = f" (line {line(made)})" if made is not None else ""
    place_zh = f"（第 {line(made)} 行）" if made is not None else ""
    if hasattr(builtins, name) or any(one.name == name for one in case.nodes(ast.FunctionDef)):
        return finding(
            case,
            f"`{name}` is a variable here{place}, and so hides the function of the same name. Give the variable another name.",
            f"`{name}` 在这里是变量{place_zh}，遮住了同名的函数。请给变量换一个名字。",
            None,
            made,
        )
    if isinstance(value, Tensor | list | tuple | dict) and len(call.args) >= 1 and not call.keywords:
        index = ", ".join(case.text(one) for one in call.args)
        return finding(
            case,
            f"`{name}` is a {type(value).__name__}{place}, and round brackets call a function. To take an element out write"
            f" `{name}[{index}]`.",
            f"`{name}` 是 `{type(value).__name__}`{place_zh}，而圆括号表示调用函数。要取元素请写 `{name}[{index}]`。",
            write(case, call, f"{name}[{index}]"),
            made,
        )
    return None


@finds(python.TYPE)
def _block(case: Case) -> Finding | None:
    """``with torch.no_grad:``, whose brackets are missing."""
    if "context manager protocol" not in str(case.details.get("message")):
        return None
    block = case.find(ast.With)
    node = block.items[0].context_expr if block is not None else case.find(ast.expr)
    if not isinstance(node, ast.Attribute | ast.Name):
        return None
    return finding(
        case,
        f"`{case.text(node)}` is the class itself; `with` needs what it makes, and its brackets are missing. Write"
        f" `with {case.text(node)}():`.",
        f"`{case.text(node)}` 是类本身，而 `with` 需要它创建的对象，这里缺少括号。请写 `with {case.text(node)}():`。",
        case.fix(case.after(node, "()"), node),
    )


@finds(mistakes.INDICES)
def _comma(case: Case) -> Finding | None:
    """``[1, 2] [3, 4]``: a comma is missing between two rows."""
    match case.find(ast.Subscript):
        case ast.Subscript(value=ast.List() | ast.Tuple() as row) if case.details.get("actual") in ("tuple", "int", "float", "list"):
            return finding(
                case,
                f"A comma is missing behind {code(case, row)} on line {row.end_lineno}, so Python reads the next row as an"
                f" index into it. Add the comma.",
                f"第 {row.end_lineno} 行的 {code(case, row)} 后面缺了逗号，Python 把下一行当成它的下标。请补上逗号。",
                apply(case, case.after(row, ","), f"Write the comma on line {row.end_lineno}", f"在第 {row.end_lineno} 行补上逗号"),
                row,
            )
    return None


# -- optimizers --------------------------------------------------------------------------------------------------------


@finds(errors.OPTIMIZE_NON_LEAF, errors.PARAMETER_NON_LEAF)
def _computed(case: Case) -> Finding | None:
    """``torch.randn(3, requires_grad=True) * 0.01``."""
    name = case.context.name
    made = case.assignment(name) if name and name.isidentifier() else None
    inner = [
        one
        for one in (ast.walk(made) if made is not None else ())
        if isinstance(one, ast.Call) and any(keyword.arg == "requires_grad" for keyword in one.keywords)
    ]
    return leaf_last(case, inner[0], made, str(name)) if made is not None and len(inner) == 1 and inner[0] is not made else None


@finds(errors.NO_PARAMETERS)
def _used_up(case: Case) -> Finding | None:
    """A generator of parameters that something has gone through already."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    made = case.assignment(given.id) if isinstance(given, ast.Name) else None
    if not isinstance(made, ast.Call) or getattr(made.func, "attr", "") not in ("parameters", "named_parameters"):
        return None
    uses = [one for one in case.nodes(ast.Name) if one.id == given.id and isinstance(one.ctx, ast.Load)]  # type: ignore[union-attr]
    first = uses[0] if uses and uses[0] is not given else made
    return finding(
        case,
        f"{code(case, made)} on line {line(made)} is a generator, which can be gone through once; line {line(first)} has done"
        f" so, and nothing is left for the optimizer. Keep a list: `list({case.text(made)})`.",
        f"第 {line(made)} 行的 {code(case, made)} 是生成器，只能遍历一次；第 {line(first)} 行已经用掉了，优化器什么也得不到。请保存为列表："
        f"`list({case.text(made)})`。",
        case.fix(case.wrapped(made, "list(", ")"), case.statement(made)),
        made,
    )


@finds(mistakes.NOT_ITERABLE, errors.PARAMETERS_TYPE)
def _model_itself(case: Case) -> Finding | None:
    """``optim.Adam(model)``, ``optim.SGD(model.parameters)``."""
    call = case.find(ast.Call)
    given = call.args[0] if call is not None and call.args else None
    value = case.value(given)
    if given is None or call is None:
        return None
    if isinstance(value, Layer):
        return finding(
            case,
            f"The optimizer is given the model {code(case, given)} itself; what it trains are its parameters. Write"
            f" `{case.text(given)}.parameters()`.",
            f"这里把模型 {code(case, given)} 本身给了优化器，而要训练的是它的参数。请写 `{case.text(given)}.parameters()`。",
            case.fix(case.followed(given, ".parameters()"), call),
        )
    if isinstance(value, Tensor):
        return finding(
            case,
            f"The optimizer takes a list of tensors, and {code(case, given)} is one tensor. Put it in brackets:"
            f" `[{case.text(given)}]`.",
            f"优化器需要张量的列表，而 {code(case, given)} 是单个张量。请加上方括号：`[{case.text(given)}]`。",
            case.fix(case.wrapped(given, "[", "]"), call),
        )
    if isinstance(given, ast.Attribute) and given.attr in ("parameters", "named_parameters", "items", "values", "keys"):
        return finding(
            case,
            f"`{case.text(given)}` is the method itself, for its brackets are missing. Call it: `{case.text(given)}()`.",
            f"`{case.text(given)}` 是方法本身，缺少调用的括号。请写 `{case.text(given)}()`。",
            case.fix(case.after(given, "()"), call),
        )
    return None


@finds(mistakes.NOT_ITERABLE)
def _counted(case: Case) -> Finding | None:
    """``for i in 10``."""
    loop = case.find(ast.For)
    source = loop.iter if loop is not None else case.find(ast.expr)
    value = case.value(source)
    if source is None or not isinstance(value, int) or isinstance(value, bool):
        return None
    text = f"range({case.text(source)})"
    return finding(
        case,
        f"`{case.text(source)}` is one number, and a loop goes through the elements of something. For {value} turns write"
        f" `{text}`.",
        f"`{case.text(source)}` 是一个数，而循环要逐个取出元素。要循环 {value} 次请写 `{text}`。",
        write(case, source, text),
    )


@finds(mistakes.UNORDERED, mistakes.OPERAND_TYPES, mistakes.CONCATENATION)
def _text_for_number(case: Case) -> Finding | None:
    """A number written in quotation marks."""
    node = case.find(ast.expr)
    flow = Flow(case)
    for source in flow.behind(node) if node is not None else ():
        for one in ast.walk(source):
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?", one.value):
                if isinstance(case.parents.get(one), ast.Subscript | ast.JoinedStr | ast.FormattedValue):
                    continue
                return finding(
                    case,
                    f"`{case.text(one)}` on line {line(one)} is a text, for it stands in quotation marks, and a number is needed."
                    f" Write `{one.value}`.",
                    f"第 {line(one)} 行的 `{case.text(one)}` 带引号，是字符串，而这里需要数。请写 `{one.value}`。",
                    write(case, one, one.value),
                    one,
                )
    return None


@finds(mistakes.CONCATENATION, mistakes.OPERAND_TYPES)
def _joined_text(case: Case) -> Finding | None:
    """``'loss: ' + loss``."""
    node = case.find(ast.BinOp)
    if node is None or not isinstance(node.op, ast.Add):
        return None
    left, right = case.value(node.left), case.value(node.right)
    if isinstance(left, str) == isinstance(right, str):
        return None
    other = node.right if isinstance(left, str) else node.left
    return finding(
        case,
        f"`+` joins texts only with texts, and {code(case, other)} is none. Write it with `str(...)`, or give `print` both,"
        f" separated by a comma.",
        f"`+` 只能把字符串和字符串连接，而 {code(case, other)} 不是字符串。请写成 `str(...)`，或者在 `print` 里用逗号隔开两者。",
        case.fix(case.wrapped(other, "str(", ")"), node),
    )
