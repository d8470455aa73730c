"""Calls that do not fit what is called: functions of the program, custom Functions, classes, the objects of optimizers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line, write
from gradflow.engine.diagnosis.fixers import finds
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
    lacking = inputs[actual:expected]
    differentiated = _differentiated(case, name, lacking, inputs)
    shown = ", ".join(f"`{one}`" for one in lacking)
    needed, needed_zh = (f"; here {shown} needs one", f"；这里 {shown} 需要梯度") if differentiated else ("", "")
    if results and actual < expected and not differentiated:
        text = ", ".join([case.text(last), *["None"] * (expected - actual)])
        fix = case.fix(case.replace(last, text), case.statement(last))
    elif isinstance(last, ast.Tuple) and all(ast.unparse(one) == "None" for one in last.elts[expected:]):
        fix = case.fix(
            case.replace(last, ", ".join(case.text(one) for one in last.elts[:expected])), case.statement(last)
        )
    return finding(
        case,
        f"`backward` returns {actual} gradient{'s' * (actual != 1)} on line {line(last)}, but `forward` takes {expected}"
        f" argument{'s' * (expected != 1)} ({', '.join(f'`{one}`' for one in inputs)}). Return one for each, in their order,"
        f" and `None` for those that need none{needed}.",
        f"第 {line(last)} 行的 `backward` 返回了 {actual} 个梯度，而 `forward` 有 {expected} 个参数"
        f"（{'、'.join(f'`{one}`' for one in inputs)}）。请按顺序为每个参数各返回一个，不需要梯度的返回 `None`{needed_zh}。",
        fix or (),
        last,
    )


def _differentiated(case: Case, name: str, lacking: Sequence[str], inputs: Sequence[str]) -> bool:
    """Whether one of these arguments is a tensor that requires a gradient, so that `None` would be wrong for it."""
    flow = Flow(case)
    calls = [one for one in case.nodes(ast.Call) if case.text(one.func) == f"{name}.apply"]
    given = [call.args[at] for call in calls for at, one in enumerate(inputs) if one in lacking and at < len(call.args)]
    return any(flow.requires_grad(one) for one in given)


# -- functions of the program ------------------------------------------------------------------------------------------


@finds(errors.MISSING_PYTHON_ARGUMENT, errors.MISSING_ARGUMENT)
def _one_for_several(case: Case) -> Finding | None:
    """``net((a, b))`` for ``net(a, b)``; an argument that is missing."""
    call = case.find(ast.Call)
    functions = Flow(case).called(call) if call is not None else []
    if not functions and call is not None and isinstance(call.func, ast.Name):
        functions = [one for one in [Flow(case).methods(call.func.id).get("__init__")] if one is not None]
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
    pair = case.value(first) if isinstance(first, ast.Name) else None
    if isinstance(first, ast.Name) and isinstance(pair, tuple | list) and len(pair) == len(names):
        made = case.assignment(first.id)
        where, where_zh = on_line(made)
        return finding(
            case,
            f"`{first.id}`{where} is one `{type(pair).__name__}` of {len(pair)}, and `{function.name}` (line {line(function)}) takes"
            f" {len(names)} arguments: {', '.join(f'`{one}`' for one in names)}. Unpack it with a star: `{case.text(call.func)}(*{first.id})`.",
            f"`{first.id}`{where_zh} 是一个含 {len(pair)} 项的 `{type(pair).__name__}`，而 `{function.name}`（第 {line(function)} 行）需要 {len(names)} 个参数："
            f"{'、'.join(f'`{one}`' for one in names)}。请用星号展开：`{case.text(call.func)}(*{first.id})`。",
            case.fix(case.before(first, "*"), call),
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
    given = {case.text(one) for one in call.args}
    if not all(one in case.values and one not in given for one in missing) or call.keywords:
        return None
    return case.fix(case.argument(call, ", ".join(missing)), call)


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
        case ast.Call(func=ast.Attribute(value=owner, attr="shape"), args=[index]) if isinstance(
            case.value(owner), Tensor
        ):
            text = f"{case.operand(call.func)}[{case.text(index)}]"
            return finding(
                case,
                f"`shape` of a tensor is a tuple, not a method. To take one size out of it write `{text}`.",
                f"张量的 `shape` 是元组，不是方法。要取出其中一个大小请写 `{text}`。",
                write(case, call, text),
            )
        case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[]) if not callable(case.value(call.func)):
            if isinstance(case.value(owner), Tensor) and not callable(getattr(Tensor, attr, None)):
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


def _other_name(case: Case, name: str) -> Fix | None:
    """Another name for a variable, wherever it is not called."""
    uses = [one for one in case.nodes(ast.Name) if one.id == name]
    called = [one for one in uses if isinstance(up := case.parents.get(one), ast.Call) and up.func is one]
    if any(one.name == name for one in case.nodes(ast.FunctionDef)) or f"{name}_" in case.values:
        return None
    edits = [edit for one in uses if one not in called for edit in case.after(one, "_")]
    return apply(case, edits, f"Call the variable `{name}_`", f"把变量改名为 `{name}_`")


def _shadowed(case: Case, call: ast.Call, name: str) -> Finding | None:
    """A variable that has taken the name of a function; a tensor or a list with round brackets."""
    import builtins

    value = case.value(call.func)
    made = case.assignment(name)
    place, place_zh = on_line(made)
    if hasattr(builtins, name) or any(one.name == name for one in case.nodes(ast.FunctionDef)):
        return finding(
            case,
            f"`{name}` is a variable here{place}, and so hides the function of the same name. Give the variable another name.",
            f"`{name}` 在这里是变量{place_zh}，遮住了同名的函数。请给变量换一个名字。",
            _other_name(case, name),
            made,
        )
    if isinstance(value, Tensor | list | tuple | dict) and len(call.args) >= 1 and not call.keywords:
        index = ", ".join(case.text(one) for one in call.args)
        return finding(
            case,
            f"`{name}` is a `{type(value).__name__}`{place}, and round brackets call a function. To take an element out write"
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


@finds(python.TYPE)
def _super(case: Case) -> Finding | None:
    """``super.__init__()``."""
    if not str(case.details.get("message")).startswith("descriptor '__init__' of 'super'"):
        return None
    node = next((one for one in case.nodes(ast.Name) if one.id == "super" and one.lineno == case.span.line), None)
    if node is None:
        return None
    return finding(
        case,
        "`super` stands here without its brackets, so it is not yet the parent of anything. Call it: `super().__init__()`.",
        "`super` 后面缺少括号，得不到父类。请调用它：`super().__init__()`。",
        case.fix(case.after(node, "()"), case.statement(node)),
    )


@finds(mistakes.INDICES)
def _comma(case: Case) -> Finding | None:
    """``[1, 2] [3, 4]``: a comma is missing between two rows."""
    match case.find(ast.Subscript):
        case ast.Subscript(value=ast.List() | ast.Tuple() as row) if case.details.get("actual") in (
            "tuple",
            "int",
            "float",
            "list",
        ):
            return finding(
                case,
                f"A comma is missing behind {code(case, row)} on line {row.end_lineno}, so Python reads the next row as an"
                f" index into it. Add the comma.",
                f"第 {row.end_lineno} 行的 {code(case, row)} 后面缺了逗号，Python 把下一行当成它的下标。请补上逗号。",
                apply(
                    case,
                    case.after(row, ","),
                    f"Write the comma on line {row.end_lineno}",
                    f"在第 {row.end_lineno} 行补上逗号",
                ),
                row,
            )
    return None
