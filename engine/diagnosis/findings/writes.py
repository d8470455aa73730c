"""In-place writes at the wrong time or place: into what the backward pass needs, into leaves."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, is_in_place, is_simple
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import names_of
from gradflow.engine.diagnosis.findings.meant.recomputed_after import computed_before_step
from gradflow.engine.diagnosis.findings.second_pass import whole_line
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import FIXERS, finds
from gradflow.engine.diagnosis.fixes.writes import OPERATORS, elsewhere
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix, Span

_SAVED = (errors.SAVED_MODIFIED, errors.SAVED_MODIFIED_TRACED, errors.SAVED_MODIFIED_LEAF)


@finds(*_SAVED)
def _step_between(case: Case) -> Finding | None:
    """``optimizer.step()`` before a backward pass that goes through the weights as they were."""
    call, write = case.find(ast.Call), last_write(case)
    step = write if isinstance(write, ast.Call) and getattr(write.func, "attr", "") == "step" else None
    statement = case.statement(step) if step is not None else None
    pass_ = case.statement(call) if call is not None else None
    if step is None or statement is None or pass_ is None:
        return None
    body = getattr(case.parents.get(statement), "body", [])
    same = statement in body and pass_ in body
    if same and body.index(statement) > body.index(pass_):
        return _from_turn_before(case, step)
    if _steps_of(case) > 1:  # to step once after all passes would add the gradients of one loss to those of the other
        return computed_before_step(case, step, call, statement)
    fix = _moved_behind(case, statement, pass_) if same else None
    return finding(
        case,
        f"{code(case, step)} on line {line(step)} changes the weights in place, and {code(case, call or step)} still needs them"
        f" as they were in the forward computation. Run all backward passes first and step once after them, or compute the"
        f" output anew after the step.",
        f"第 {line(step)} 行的 {code(case, step)} 就地修改了权重，而 {code(case, call or step)} 还需要前向计算时的旧值。请先做完所有反向传播"
        f"再更新一次，或者在更新之后重新计算输出。",
        fix,
        step,
    )


def _steps_of(case: Case) -> int:
    """How many optimizers take steps."""
    steps = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "step"]
    return len({case.text(one.func) for one in steps})


def _from_turn_before(case: Case, step: ast.Call) -> Finding:
    return finding(
        case,
        f"{code(case, step)} on line {line(step)} changed the weights in place in the turn before, and this pass goes back to"
        f" what was computed with the old ones. Compute everything anew in each turn, and `detach()` what is carried over.",
        f"第 {line(step)} 行的 {code(case, step)} 在上一轮就地修改了权重，而这次反向要走回用旧权重算出的部分。请每一轮重新计算，并对传到下一轮"
        f"的量使用 `detach()`。",
        None,
        step,
    )


def last_write(case: Case) -> ast.AST | None:
    """The last write of what the error is about, an optimizer's step included."""
    for span in case.context.writes:
        node = case.find(ast.AST, span)
        if node is not None and span != case.span and _writes(case, node):
            return node.value if isinstance(node, ast.Expr) else node
    return None


def step_before(case: Case) -> ast.Call | None:
    """The last ``optimizer.step()`` above the error, or one below it in a loop."""
    steps = [one for one in case.nodes(ast.Call) if getattr(one.func, "attr", "") == "step" and not one.args]
    before = [one for one in steps if one.lineno < case.span.line]
    return (before or steps or [None])[-1]  # type: ignore[list-item]


def _writes(case: Case, node: ast.AST) -> bool:
    """Whether an expression writes in place, as far as it is written: views of what was written are recorded, too."""
    match case.statement(node):
        case ast.AugAssign() | ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            return True
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    names = [getattr(one.func, "attr", "") for one in calls]
    return any(name == "step" or is_in_place(name) for name in names) or any(
        keyword.arg == "out" for one in calls for keyword in one.keywords
    )


def _moved_behind(case: Case, statement: ast.stmt, other: ast.stmt) -> Fix | None:
    """Take a statement out and put it behind another; where the same stands there already, it is only taken out."""
    place, behind = case.program.span_of(statement), case.program.span_of(other)
    if place is None or behind is None or place.line != place.end_line:
        return None
    text = case.text(statement)
    if case.line(place.line).strip() != text:
        return None
    body = getattr(case.parents.get(other), "body", [])
    again = any(case.text(one) == text for one in body[body.index(other) :])
    edits = [whole_line(case, place)]
    if not again:
        end = len(case.line(behind.end_line))
        indent = case.line(behind.line)[: behind.column]
        edits.append(Edit(Span(behind.end_line, end, behind.end_line, end), f"\n{indent}{text}"))
    return apply(case, edits, f"`{text}` after the backward passes", f"反向传播之后再 `{text}`")


@finds(errors.SAVED_MODIFIED, errors.SAVED_MODIFIED_TRACED)
def _overwritten(case: Case) -> Finding | None:
    """``y += 1`` of what the backward pass needs."""
    statement = _statement(case)
    if statement is None:
        return _by_layer(case)
    if (found := _read_and_written(case, statement)) is not None:
        return found
    fix = FIXERS[errors.SAVED_MODIFIED.code](case)
    needs, needs_zh = _saver(case) or _needed_by(case, statement)
    if len(several := _all_statements(case)) > 1:
        return _overwritten_by(case, several, (needs, needs_zh), fix)
    titled = fix is not None and fix.title.en.startswith("`")
    what = f"Write {fix.title.en}" if titled and fix else "Make a new tensor instead"
    what_zh = f"请写成 {fix.title.zh}" if titled and fix else "请改为生成新张量"
    return finding(
        case,
        f"{code(case, statement)} on line {line(statement)} overwrites in place a value that {needs} needs as it was. {what}, or"
        f" write into a `clone()`.",
        f"第 {line(statement)} 行的 {code(case, statement)} 就地改写了{needs_zh}需要的原值。{what_zh}，或者写入 `clone()` 得到的副本。",
        None,
        statement,
    )


def _all_statements(case: Case) -> list[ast.stmt]:
    """The statements that wrote what the error is about, in the order of the program; none where they are not all known."""
    nodes = [case.find(ast.AST, span) for span in dict.fromkeys(case.context.writes) if span != case.span]
    found = [case.statement(one) for one in nodes if one is not None and _writes(case, one)]
    known = {one.lineno: one for one in found if one is not None}
    return [known[row] for row in sorted(known)] if len(found) == len(nodes) else []


def _overwritten_by(case: Case, statements: list[ast.stmt], needs: tuple[str, str], fix: Fix | None) -> Finding:
    """Several writes one behind the other: each of them is one too many."""
    shown = joined([f"{code(case, one)} on line {line(one)}" for one in statements], "en")
    shown_zh = "和".join(f"第 {line(one)} 行的 {code(case, one)}" for one in statements)
    made = [
        edits[0].text
        for one in statements
        if len(edits := elsewhere(case, one)) == 1 and isinstance(one, ast.AugAssign)
    ]
    texts, texts_zh = names_of(made) if len(made) == len(statements) else ("", "")
    return finding(
        case,
        f"{shown} overwrite in place a value that {needs[0]} needs as it was. Make a new tensor in each of these places{f': {texts}' if texts else ''}.",
        f"{shown_zh} 就地改写了{needs[1]}需要的原值。请在这些地方都生成新的张量{f'：{texts_zh}' if texts else ''}。",
        fix,
        statements[0],
    )


def _by_layer(case: Case) -> Finding | None:
    """``nn.ReLU(inplace=True)`` of what the backward pass needs."""
    given = [
        (call, one)
        for call in case.nodes(ast.Call)
        for one in call.keywords
        if one.arg == "inplace" and isinstance(one.value, ast.Constant) and one.value.value is True
    ]
    if len(given) != 1:
        return None
    call, keyword = given[0]
    needs, needs_zh = _saver(case) or ("the backward of a function before it", "前面的函数在反向时")
    return finding(
        case,
        f"`inplace=True` in {code(case, call)} on line {line(call)} writes the result over the input, and {needs} needs that value"
        f" as it was. Leave `inplace=True` out.",
        f"第 {line(call)} 行 {code(case, call)} 里的 `inplace=True` 会用结果覆盖输入，而{needs_zh}需要原来的值。请去掉 `inplace=True`。",
        case.fix(case.without_argument(call, keyword), call),
        call,
    )


def _read_and_written(case: Case, statement: ast.stmt) -> Finding | None:
    """``h[t + 1] = f(h[t])``: rows of one tensor, which each turn reads and writes."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))], value=value):
            pass
        case _:
            return None
    reads = [
        one
        for one in ast.walk(value)
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and one.value.id == name
    ]
    if not reads or case.enclosing(statement, ast.For) is None:
        return None
    read, edits = code(case, reads[0]), [edit for one in reads for edit in case.followed(one, ".clone()")]
    return finding(
        case,
        f"{code(case, statement)} on line {line(statement)} writes into `{name}` in place, and the turns read {read} out of the same"
        f" memory, which the backward pass needs as it was. Read a copy, `{case.operand(reads[0])}.clone()`, or put the rows into a list and"
        f" join them with `torch.stack` at the end.",
        f"第 {line(statement)} 行的 {code(case, statement)} 就地写入 `{name}`，而每一轮又从同一块内存读取 {read}，反向传播需要它原来的值。请读取副本"
        f" `{case.operand(reads[0])}.clone()`，或者把各行放进列表，最后用 `torch.stack` 合并。",
        apply(case, edits, f"`{case.operand(reads[0])}.clone()`", f"`{case.operand(reads[0])}.clone()`"),
        statement,
    )


def _saver(case: Case) -> tuple[str, str] | None:
    """The expression that saved what was written, as the record of the run has it."""
    nodes = [case.find(ast.expr, span) for span in case.context.savers()]
    found = next((one for one in nodes if one is not None), None)
    if found is None:
        return None
    return (
        f"the backward of {code(case, found)} (line {line(found)})",
        f" {code(case, found)}（第 {line(found)} 行）的反向",
    )


def _needed_by(case: Case, statement: ast.stmt) -> tuple[str, str]:
    """Which expression saved what a statement writes into: one that read it before, or the one that made it."""
    target: ast.expr | None = statement.target if isinstance(statement, ast.AugAssign) else None
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
    if (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
    ):
        target = statement.value.func.value
    while isinstance(target, ast.Subscript):
        target = target.value
    span = case.program.span_of(statement)
    if not isinstance(target, ast.Name) or span is None or case.enclosing(statement, ast.For) is not None:
        return "the backward pass", "反向传播"
    made = [
        one
        for one in case.nodes(ast.Assign)
        if line(one) < span.line and any(ast.unparse(part) == target.id for part in one.targets)
    ]
    begin = line(made[-1]) if made else 0
    readers = [
        outer
        for one in case.nodes(ast.Name)
        if one.id == target.id
        and isinstance(one.ctx, ast.Load)
        and begin < one.lineno < span.line
        and isinstance(outer := case.parents.get(one), ast.BinOp | ast.Call | ast.Attribute)
    ]
    readers = [case.parents[one] if isinstance(one, ast.Attribute) else one for one in readers]  # type: ignore[misc]
    found: ast.AST | None = readers[0] if len(readers) == 1 else made[-1].value if made and not readers else None
    if found is None or isinstance(found, ast.Name):
        return "the backward pass", "反向传播"
    return (
        f"the backward of {code(case, found)} (line {line(found)})",
        f" {code(case, found)}（第 {line(found)} 行）的反向",
    )


def _statement(case: Case) -> ast.stmt | None:
    node = last_write(case)
    return case.statement(node) if node is not None else None


@finds(errors.SAVED_MODIFIED_LEAF)
def _too_early(case: Case) -> Finding | None:
    """A leaf that is written before the pass that needs it."""
    statement = _statement(case)
    if statement is None:
        return None
    return finding(
        case,
        f"{code(case, statement)} on line {line(statement)} changes the leaf in place after the forward computation has saved it,"
        f" so the backward pass on line {case.span.line} cannot use it any more. Run the backward pass before the write.",
        f"第 {line(statement)} 行的 {code(case, statement)} 在前向计算保存叶子张量之后就地修改了它，第 {case.span.line} 行的反向传播就无法再用"
        f"它。请先做反向传播，再写入。",
        None,
        statement,
    )


def _computed_on(case: Case, statement: ast.stmt) -> Finding | None:
    """``x -= x.mean()`` of what a function was given: the result is computed with, and no parameter is updated."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if type(op) in OPERATORS:
            pass
        case _:
            return None
    function = case.enclosing(statement, ast.FunctionDef)
    own = [one.arg for one in function.args.args] if function is not None else []
    reads = [one for one in ast.walk(value) if isinstance(one, ast.Name) and one.id == name]
    if name not in own or not reads or ".grad" in case.text(value):
        return None
    right = (
        case.text(value)
        if isinstance(value, ast.Name | ast.Call | ast.Constant | ast.Attribute | ast.Subscript)
        else f"({case.text(value)})"
    )
    text, leaf = f"{name} = {name} {OPERATORS[type(op)]} {right}", case.context.name or name
    return finding(
        case,
        f"`{name}` is the leaf `{leaf}` itself, which requires a gradient, and {code(case, statement)} writes into it: such a write cannot be"
        f" part of the graph, and would change the caller's tensor. Make a new one: `{text}`.",
        f"`{name}` 就是叶子张量 `{leaf}` 本身，它需要梯度，而 {code(case, statement)} 会写入它：这样的写入不能成为计算图的一部分，还会改动调用者的张量。请生成新的"
        f"张量：`{text}`。",
        case.fix(case.replace(statement, text), statement),
        statement,
    )


@finds(errors.LEAF_INPLACE, errors.LEAF_VIEW_INPLACE)
def _leaf(case: Case) -> Finding | None:
    """An update of a parameter outside of ``no_grad``, or a value set in a leaf."""
    fixer = FIXERS.get(errors.LEAF_INPLACE.code)
    fix = fixer(case) if fixer is not None else None
    node = case.find(ast.AST)
    statement = case.statement(node) if node is not None else None
    if statement is None:
        return None
    match statement:
        case (
            ast.Assign(value=ast.Call(func=ast.Attribute(attr=attr) as method) as call)
            | ast.Return(value=ast.Call(func=ast.Attribute(attr=attr) as method) as call)
        ) if attr.endswith("_") and hasattr(Tensor, attr[:-1]) and is_simple(method.value):
            fix = case.fix(case.rename_end(method, attr, attr[:-1]), call)
    if (computed := _computed_on(case, statement)) is not None:
        return computed
    name = f"`{case.context.name}`" if case.context.name else "the leaf"
    name_zh = f" `{case.context.name}`" if case.context.name else "叶子张量"
    if isinstance(statement, ast.AugAssign) and ".grad" in case.text(statement.value):
        return finding(
            case,
            f"{code(case, statement)} writes into {name}, a leaf that requires a gradient, and autograd would take the update for a part of"
            f" the computation. Put the updates under `with torch.no_grad():`.",
            f"{code(case, statement)} 写入了{name_zh}，它是需要梯度的叶子张量，自动求导会把这次更新当成计算的一部分。请把更新放到"
            f" `with torch.no_grad():` 下。",
            fix,
        )
    return finding(
        case,
        f"{code(case, statement)} writes into {name}, a leaf that requires a gradient, and such a write cannot be part of the"
        f" graph. For an update of the values put it under `with torch.no_grad():`; to compute with the result make a new"
        f" tensor.",
        f"{code(case, statement)} 写入了{name_zh}，它是需要梯度的叶子张量，这样的写入不能成为计算图的一部分。如果是更新数值，请放到"
        f" `with torch.no_grad():` 下；如果要继续计算，请生成新张量。",
        () if _carries_graph(case, statement) else fix,
    )


def _carries_graph(case: Case, statement: ast.stmt) -> bool:
    """Whether what is written was computed with a graph, which a write under ``no_grad`` would lose."""
    if not isinstance(statement, ast.Assign) or ".grad" in case.text(statement.value):
        return False
    held = Flow(case).tensor(statement.value)
    return isinstance(held, Tensor) and held.requires_grad and "backward(" in case.program.source
