"""Changes of whole lines of a program."""

from __future__ import annotations

import ast

from gradflow.engine.diagnosis.blocks import among_others
from gradflow.engine.diagnosis.case import Case, called, insertion
from gradflow.engine.diagnosis.traps.record import Record, modules_in
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.recording.chronology import EventEntry
from gradflow.engine.recording.entries import NodeEntry, PassEntry, TensorEntry
from gradflow.engine.trace import Edit, Fix, Span


def line_before(case: Case, statement: ast.stmt, text: str) -> list[Edit]:
    """A line in front of a statement, as deep as it."""
    return case.line_before(statement, text)


def line_after(case: Case, statement: ast.stmt, text: str) -> list[Edit]:
    """A line behind a statement that begins and ends its lines, as deep as it; no edits where there is no room."""
    span = _alone(case, statement)
    if span is None:
        return []
    return [insertion(span.end_line, len(case.line(span.end_line)), f"\n{_indent(case, span)}{text}")]


def moved_behind(
    case: Case, statement: ast.stmt | None, anchor: ast.stmt | None, *, before: bool = False
) -> list[Edit]:
    """A statement of one line moved behind another of the same block; with ``before``, the anchor moved in front of it."""
    if statement is None or anchor is None or not _siblings(case, statement, anchor):
        return []
    source, target = (anchor, statement) if before else (statement, anchor)
    return moved_before(case, source, target) if before else moved_after(case, source, target)


def moved_before(case: Case, statement: ast.stmt, outer: ast.stmt) -> list[Edit]:
    """A statement of one line moved in front of another, which may be around it."""
    return moved(case, statement, case.line_before(outer, case.text(statement)))


def moved_after(case: Case, statement: ast.stmt, outer: ast.stmt) -> list[Edit]:
    """A statement of one line moved behind another, which may be around it."""
    return moved(case, statement, line_after(case, outer, case.text(statement)))


def moved(case: Case, statement: ast.stmt, added: list[Edit]) -> list[Edit]:
    """A statement of one line taken out where edits add it elsewhere; no edits where one of both cannot be."""
    removed = without_line(case, statement)
    return [*removed, *added] if added and removed else []


def without_line(case: Case, statement: ast.stmt) -> list[Edit]:
    """A statement that has one line for itself, or shares one by semicolons, taken out; no edits for another."""
    if (shared := among_others(case, statement)) is not None:
        return [Edit(shared, "")]
    own = _alone(case, statement)
    if own is None or own.line != own.end_line or own.line == 1:
        return []
    return [Edit(Span(own.line - 1, len(case.line(own.line - 1)), own.line, len(case.line(own.line))), "")]


def _siblings(case: Case, one: ast.stmt, other: ast.stmt) -> bool:
    return one is not other and case.parents.get(one) is case.parents.get(other)


def _alone(case: Case, statement: ast.stmt) -> Span | None:
    """The span of a statement that has its lines for itself, comments apart."""
    span = case.program.span_of(statement)
    if span is None or _indent(case, span).strip():
        return None
    rest = case.line(span.end_line)[span.end_column :].strip()
    return span if not rest or rest.startswith("#") else None


def _indent(case: Case, span: Span) -> str:
    return case.line(span.line)[: span.column]


def copying(run: Record) -> tuple[str, list[Edit]]:
    """What the program calls ``copy.deepcopy``, and the import where it has none."""
    if "deepcopy" in run.namespace:
        return "deepcopy", []
    known = run.case.module_alias("copy")
    return f"{known or 'copy'}.deepcopy", [] if known else run.case.import_line("import copy")


def evaluating(run: Record, span: Span | None) -> Fix | None:
    """``model.eval()`` in front of the prediction."""
    call, statement = run.call_at(span), run.statement_at(span)
    if call is None or statement is None or not isinstance(call.func, ast.Name):
        return run.fix(_evaluated_before(run), "`eval()` before it", "在它之前 `eval()`")
    line, name = f"{call.func.id}.eval()", call.func.id
    statement = _whole_test(run, statement)
    edits = line_before(run.case, statement, line)
    loop = run.case.enclosing(statement, ast.For)
    if edits and loop is not None and f"{name}.train()" not in run.program.source and _trains(run, loop):
        return run.fix([*edits, *line_after(run.case, statement, f"{name}.train()")], f"`{line}`", f"`{line}`")
    return run.fix(edits, f"`{line}`", f"`{line}`")


def _whole_test(run: Record, statement: ast.stmt) -> ast.stmt:
    """The loop over the test that a prediction stands in, with the block around it; the statement itself where there is none."""
    found, whole, parent = statement, statement, run.case.parents.get(statement)
    while isinstance(parent, ast.With | ast.For | ast.While) and not _trains(run, parent):
        loop = isinstance(parent, ast.For | ast.While) or found is not statement
        whole, parent = parent, run.case.parents.get(parent)
        found = whole if loop else found
    return found


def _trains(run: Record, block: ast.stmt) -> bool:
    return ".backward(" in run.case.text(block) or ".step(" in run.case.text(block)


def _evaluated_before(run: Record) -> list[Edit]:
    """``model.eval()`` in front of the one block under ``no_grad`` that runs a model, where training switches back by itself."""
    blocks = [
        one
        for one in run.case.nodes(ast.With)
        if any("no_grad" in run.case.text(each.context_expr) for each in one.items)
    ]
    if len(blocks) != 1 or ".train()" not in run.program.source:
        return []
    function = run.case.enclosing(blocks[0], ast.FunctionDef)
    known = {one.arg for one in function.args.args} if function is not None else set()
    names = {
        one.func.id
        for one in ast.walk(blocks[0])
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Name)
        and (f"{one.func.id}.train()" in run.program.source or one.func.id in known)
        and (one.func.id in known or list(modules_in(run.namespace.get(one.func.id))))
    }
    return line_before(run.case, blocks[0], f"{names.pop()}.eval()") if len(names) == 1 else []


def optimizer_maker(run: Record) -> ast.Call | None:
    """The call that makes an optimizer, if the source has one alone."""
    kinds = optimizer_kinds()
    makers = [one for one in run.case.nodes(ast.Call) if called(one) in kinds]
    return makers[0] if len(makers) == 1 else None


def optimizer_kinds() -> set[str]:
    """The names of the optimizers."""
    return {kind.__name__ for kind in _kinds(Optimizer)}


def _kinds(kind: type) -> list[type]:
    below: list[type] = kind.__subclasses__()
    return [*below, *(each for one in below for each in _kinds(one))]


def optimizer_later(run: Record, entry: TensorEntry) -> list[Edit]:
    """The line that makes the one optimizer moved behind that which put a new parameter into a model, by itself or by the functions it calls."""
    call, place, within = optimizer_maker(run), entry.place, entry.within
    anchors = [run.statement_at(run.span(place))]
    while within is not None:
        anchors.append(run.statement_at(run.span(within.position)))
        within = within.parent
    own = run.case.statement(call) if call is not None else None
    for maker in (own, _caller(run, own)):
        if maker is None:
            continue
        behind = [one for one in anchors if one is not None and one.lineno > maker.lineno]
        later = [one for one in run.case.nodes(ast.Assign) if one.lineno > maker.lineno and _puts_part(run, one)]
        for one in [*later[::-1], *behind]:
            if edits := moved_behind(run.case, maker, one):
                return edits
    return []


def _caller(run: Record, statement: ast.stmt | None) -> ast.stmt | None:
    """The one statement that calls the function which a statement stands in."""
    function = run.case.enclosing(statement, ast.FunctionDef) if statement is not None else None
    calls = [one for one in run.case.nodes(ast.Call) if function is not None and called(one) == function.name]
    return run.case.statement(calls[0]) if len(calls) == 1 else None


def _puts_part(run: Record, statement: ast.Assign) -> bool:
    """``net[2] = nn.Linear(6, 2)``, ``net.fc = nn.Linear(6, 2)``."""
    match statement:
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=name)) | ast.Subscript(value=ast.Name(id=name))], value=ast.Call()
        ):
            return bool(list(modules_in(run.namespace.get(name))))
    return False


def optimizer_of_made(run: Record) -> bool:
    """Whether an optimizer was given the parameters of a module that was made for it alone: ``SGD(build().parameters())``."""
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(args=[ast.Call(func=ast.Attribute(value=ast.Call(), attr="parameters")), *_]):
                return True
    return False


def zeroing(run: Record, one: PassEntry, updates: list[EventEntry]) -> Fix | None:
    """The gradients set to zero in front of a pass, or each behind its last update where leaves are moved by hand."""
    if updates[0].kind == "step":
        call, statement = run.call_at(run.span(updates[0].place)), run.statement_at(run.span(one.place))
        if statement is None or call is None or not isinstance(call.func, ast.Attribute):
            return None
        line = f"{run.case.text(call.func.value)}.zero_grad()"
        return run.fix(line_before(run.case, statement, line), f"`{line}` before it", f"在它之前加 `{line}`")
    statements = list(dict.fromkeys(run.statement_at(run.span(event.place)) for event in updates))
    groups: dict[ast.AST | None, list[ast.stmt]] = {}
    for each in statements:
        if each is None or not moved_leaf(run.case, each):
            return None
        groups.setdefault(run.case.parents.get(each), []).append(each)
    edits: list[Edit] = []
    for group in groups.values():
        last = max(group, key=lambda each: each.lineno)
        span = run.program.span_of(last)
        between = "\n" if span is None else f"\n{_indent(run.case, span)}"
        added = line_after(run.case, last, between.join(dict.fromkeys(_zero(run.case, each) for each in group)))
        if not added:
            return None
        edits += added
    shown = list(dict.fromkeys(f"`{_zero(run.case, each)}`" for each in statements if each is not None))
    return run.fix(edits, f"{', '.join(shown)} behind it", f"在它之后加 {'、'.join(shown)}")


def _zero(case: Case, statement: ast.stmt) -> str:
    return f"{moved_leaf(case, statement)}.grad.zero_()"


def moved_leaf(case: Case, statement: ast.stmt) -> str:
    """What a statement moves in place: ``w`` of ``w -= ...``, ``w.data -= ...``, ``w.sub_(...)``, ``w.data = ...``."""
    match statement:
        case ast.AugAssign(target=target):
            held: ast.expr = target
        case ast.Assign(targets=[ast.Attribute(attr="data") as target]):
            held = target
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=held, attr=attr))) if attr.endswith("_"):
            pass
        case _:
            return ""
    if isinstance(held, ast.Attribute) and held.attr == "data":
        held = held.value
    return case.text(held) if isinstance(held, ast.Name | ast.Attribute) else ""


def in_every_turn(run: Record, one: PassEntry, old: list[NodeEntry]) -> Fix | None:
    """The lines in front of a loop that computed what its pass goes through again moved into it, and ``retain_graph`` taken away."""
    call = run.call_at(run.span(one.place))
    loop = run.case.enclosing(call, ast.For) if call is not None else None
    if call is None or loop is None or run.case.enclosing(call, ast.While) is not None or not old:
        return None
    known = set(old)
    anew = [step.node for step in one.steps if step.node not in known]
    if any(each.first in run.moved for node in anew for each in node.inputs):
        return None  # what is old may be meant to be, as the probabilities that new ones are compared with
    found = {_statement_of(run, node, loop) for node in old}
    keywords = [each for each in call.keywords if each.arg == "retain_graph"]
    passes = [each for each in ast.walk(loop) if isinstance(each, ast.Call) and called(each) == "backward"]
    if None in found or len(passes) != 1 or len(keywords) != 1:
        return None
    lines = sorted((each for each in found if each is not None), key=lambda each: each.lineno)
    if not all(_is_read_in(run.case, each, loop, lines) for each in lines):
        return None
    first = run.program.span_of(loop.body[0])
    if first is None or _indent(run.case, first).strip():
        return None
    removed = [without_line(run.case, each) for each in lines]
    text = f"\n{_indent(run.case, first)}".join(run.case.text(each) for each in lines)
    edits = [*run.case.line_before(loop.body[0], text), *run.case.without_argument(call, keywords[0])]
    if not all(removed):
        return None
    shown = "`, `".join(run.case.text(each) for each in lines)
    edits = [*(edit for each in removed for edit in each), *edits]
    return run.fix(edits, f"`{shown}` in the loop", f"把 `{shown}` 移进循环")


def _statement_of(run: Record, node: NodeEntry, loop: ast.For) -> ast.stmt | None:
    """The statement of the block of a loop, in front of it, that a function ran for; by the functions it calls, too."""
    places, within = [node.place], node.within
    while within is not None:
        places.append(within.position)
        within = within.parent
    for place in places:
        statement = run.statement_at(run.span(place))
        if statement is not None and _siblings(run.case, statement, loop) and statement.lineno < loop.lineno:
            return statement if isinstance(statement, ast.Assign) else None
    return None


def _is_read_in(case: Case, statement: ast.stmt, loop: ast.For, lines: list[ast.stmt]) -> bool:
    """Whether what a line gives is read by a loop or by the lines that are moved with it, and by nothing in front of it;

    and what it reads is not given anew in the loop.
    """
    read = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    if any(isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and one.id in read for one in ast.walk(loop)):
        return False
    names = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    uses = [one for one in case.nodes(ast.Name) if one.id in names and one.lineno > statement.lineno]
    between = [one for one in uses if one.lineno < loop.lineno and case.statement(one) not in lines]
    inside = [one for one in uses if loop.lineno <= one.lineno <= (loop.end_lineno or 0)]
    moved = [one for one in uses if case.statement(one) in lines]
    return bool(inside or moved) and not between and all(isinstance(one.ctx, ast.Load) for one in (*inside, *moved))


def cut_for_one_pass(run: Record, cut: NodeEntry) -> Fix | None:
    """``fake = G(z).detach()`` for two losses: the whole tensor, and ``fake.detach()`` in front of the first pass alone."""
    call = run.call_at(run.span(cut.place))
    statement = run.case.statement(call) if call is not None else None
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call and call is not None:
            scope = run.case.enclosing(statement, ast.FunctionDef)
        case _:
            return None
    behind = [one for one in run.case.nodes(ast.Name) if one.id == name and one.lineno > statement.lineno]
    uses = [
        one for one in behind if isinstance(one.ctx, ast.Load) and run.case.enclosing(one, ast.FunctionDef) is scope
    ]
    passes = [
        one.lineno
        for one in run.case.nodes(ast.Call)
        if isinstance(one.func, ast.Attribute) and one.func.attr == "backward" and one.lineno > statement.lineno
    ]
    first = [one for one in uses if passes and one.lineno < min(passes)]
    if not first or len(first) == len(uses) or not isinstance(call.func, ast.Attribute) or call.func.attr != "detach":
        return None
    edits = [*run.case.without_tail(call), *(edit for one in first for edit in run.case.after(one, ".detach()"))]
    return run.fix(
        edits, f"`{name}.detach()` on line {first[0].lineno}", f"第 {first[0].lineno} 行的 `{name}.detach()`"
    )


def kept_itself(run: Record, call: ast.Call, held: ast.expr) -> Fix | None:
    """``codes / 2`` for ``torch.tensor((codes / 2).detach().tolist())``."""
    while isinstance(held, ast.Call) and getattr(held.func, "attr", "") in ("detach", "cpu") and not held.args:
        assert isinstance(held.func, ast.Attribute)
        held = held.func.value
    outer = run.case.parents.get(call)
    if isinstance(outer, ast.Attribute) and outer.attr in ("requires_grad_", "requires_grad"):
        return None
    inside = isinstance(outer, ast.Attribute | ast.Subscript | ast.BinOp | ast.UnaryOp)
    text = run.case.operand(held) if inside else run.case.text(held)
    return run.fix(run.case.replace(call, text), "Keep the tensor itself", "保留张量本身")


def _made_again(run: Record, call: ast.Call) -> tuple[ast.Call, ast.expr] | None:
    """``torch.from_numpy(x.detach().cpu().numpy())`` around a ``x.detach()``: the outer call, and what the numbers were taken of."""
    held: ast.AST = call
    while isinstance(tail := run.case.parents.get(held), ast.Attribute) and tail.attr in ("cpu", "numpy", "tolist"):
        held = run.case.parents.get(tail) or tail
        outer = run.case.parents.get(held)
        if tail.attr != "cpu" and isinstance(outer, ast.Call) and outer.args == [held] and not outer.keywords:
            is_made = getattr(outer.func, "attr", "") in ("tensor", "as_tensor", "from_numpy", "Tensor")
            return (outer, call) if is_made else None
    return None


def joined(run: Record, cut: NodeEntry) -> Fix | None:
    """Take ``.detach()`` or ``.data`` off."""
    span = run.span(cut.place)
    call = run.call_at(span)
    if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr == "detach":
        if (made := _made_again(run, call)) is not None:
            return kept_itself(run, *made)
        if isinstance(parent := run.case.parents.get(call), ast.Attribute) and parent.attr in (
            "numpy",
            "tolist",
            "item",
        ):
            return None  # which refuse a tensor with a graph, or leave it themselves
        return run.fix(run.case.without_tail(call), "Without `.detach()`", "去掉 `.detach()`")
    read = None if span is None else run.case.find(ast.Attribute, span)
    if read is not None and read.attr == "data":
        dot = run.case.dot_of(read)
        return run.fix([run.case.cut(dot)] if dot else [], "Without `.data`", "去掉 `.data`")
    return None
