"""Traps of totals: what is added up over a loop and keeps the last value, begins anew in every turn, or never again."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from gradflow.engine.diagnosis.case import insertion, iterated
from gradflow.engine.diagnosis.traps.edits import moved_before
from gradflow.engine.diagnosis.traps.record import Record, Trap
from gradflow.engine.trace import Edit, Fix, Note

LAST_ONLY: Final = Trap(
    "total-keeps-last-value",
    "`{text}` replaces `{name}` in every turn, so behind the loop it holds the value of the last turn alone, and `{quotient}` divides that by the number of"
    " turns. Add up: `{meant}`.",
    "`{text}` 在每一轮都替换 `{name}`，循环之后它只剩最后一轮的值，而 `{quotient}` 又把它除以轮数。请累加：`{meant}`。",
)
RESET: Final = Trap(
    "total-reset-in-every-turn",
    "`{text}` stands inside the loop that adds to `{name}`, so every turn begins again, and behind the loop it holds what the last turn added. Set it once,"
    " before the loop.",
    "`{text}` 写在累加 `{name}` 的循环里面，每一轮都重新开始，循环之后它只剩最后一轮加上的值。请在循环之前只设置一次。",
)
NOT_RESET: Final = Trap(
    "total-never-reset",
    "`{name}` adds up over all turns of the outer loop, and `{quotient}` divides it by the length of one of them: from the second turn on it is too large."
    " Set it to 0 at the beginning of every turn of the outer loop.",
    "`{name}` 在外层循环的所有轮次上一直累加，而 `{quotient}` 只除以一轮的长度：从第二轮起它就太大了。请在外层循环每一轮开始时把它置零。",
)
ADDED_ONCE: Final = Trap(
    "total-added-behind-loop",
    "`{text}` stands behind the loop over `{source}`, so it runs once, with what the last turn left: `{name}` counts the last turn alone, and `{quotient}` divides"
    " it as if it counted all. Indent it into the loop.",
    "`{text}` 写在遍历 `{source}` 的循环之后，只用最后一轮留下的值执行一次：`{name}` 只统计了最后一轮，而 `{quotient}` 却当作统计了全部来除。请把它缩进到循环里。",
)
LAST_TRAINED: Final = Trap(
    "last-turn-trained-only",
    "`{text}` stands behind the loop, so the pass begins at the loss of the last turn alone: those of the {count} turns before it were computed and thrown away."
    " Indent it into the loop, with the step behind it.",
    "`{text}` 写在循环之后，反向传播只从最后一轮的损失开始：之前 {count} 轮的损失算出来就丢掉了。请把它连同后面的更新一起缩进到循环里。",
)

_Loop = ast.For | ast.While


def _blocks(run: Record) -> Iterator[list[ast.stmt]]:
    """The blocks of the program."""
    for node in run.program.nodes:
        match node:
            case ast.For() | ast.While() | ast.If():
                yield from (node.body, node.orelse)
            case ast.Try():
                yield from (node.body, node.orelse, node.finalbody)
            case ast.Module() | ast.FunctionDef() | ast.ClassDef() | ast.With():
                yield node.body


def _loops(run: Record) -> Iterator[tuple[ast.For, list[ast.stmt], list[ast.stmt]]]:
    """The loops over something, with what stands before and behind them in their blocks."""
    for block in _blocks(run) if run.case.nodes(ast.For) else ():
        for at, statement in enumerate(block):
            if isinstance(statement, ast.For):
                before, after = block[:at], block[at + 1 :]
                outer = run.case.parents.get(statement)
                while isinstance(outer, ast.With):
                    around = getattr(run.case.parents.get(outer), "body", [])
                    place = around.index(outer) if outer in around else 0
                    before, after = [*around[:place], *before], [*after, *around[place + 1 :]]
                    outer = run.case.parents.get(outer)
                yield statement, before, after


def _begun(statement: ast.stmt) -> str:
    """The name that a statement sets to a number, or to an empty list."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int() | float()) | ast.List(elts=[])):
            return name
    return ""


def _all_begun(statements: Sequence[ast.stmt]) -> dict[str, ast.stmt]:
    """The names that statements set to numbers, also several at once."""
    found = {name: one for one in statements if (name := _begun(one))}
    for one in statements:
        match one:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
                pairs = zip(names, values, strict=True)
                found |= {a.id: one for a, b in pairs if isinstance(a, ast.Name) and isinstance(b, ast.Constant)}
    return found


def _stored(nodes: Sequence[ast.AST], name: str) -> list[ast.AST]:
    """The places that give a name a value."""
    return [
        one
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
    ]


def _read(nodes: Sequence[ast.AST], name: str) -> bool:
    return any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
        for node in nodes
        for one in ast.walk(node)
    )


def _named(nodes: Sequence[ast.AST], name: str) -> bool:
    return _read(nodes, name) or bool(_stored(nodes, name))


def _quotient(run: Record, nodes: Sequence[ast.AST], name: str, loop: ast.For | None) -> ast.BinOp | None:
    """``total / len(data)`` behind a loop over the data; without a loop, total divided by any ``len``."""
    wanted = f"len({run.case.text(iterated(loop))})" if loop is not None else ""
    for node in nodes:
        for one in ast.walk(node):
            match one:
                case ast.BinOp(
                    left=ast.Name(id=over) | ast.Call(func=ast.Name(id="sum"), args=[ast.Name(id=over)]),
                    op=ast.Div(),
                    right=under,
                ) if over == name:
                    text = run.case.text(under)
                    outer = run.case.parents.get(one)
                    scaled = isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Div)
                    if not scaled and (text == wanted if wanted else "len(" in text):
                        return one
    return None


def last_only(run: Record) -> Iterator[Note]:
    """``total = loss.item()`` in a loop, and ``total / len(loader)`` behind it."""
    for loop, before, after in _loops(run):
        begun = _all_begun(before)
        for statement in (one for one in ast.walk(loop) if isinstance(one, ast.Assign)):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() | ast.BinOp() as value) if name in begun:
                    pass
                case _:
                    continue
            quotient = _quotient(run, after, name, loop)
            if quotient is None or len(_stored([loop], name)) > 1 or _read([loop], name):
                continue
            meant = f"{name} += {run.case.text(value)}"
            fix = run.fix(run.case.replace(statement, meant), f"`{meant}`", f"`{meant}`")
            words = {"text": run.case.text(statement), "name": name, "meant": meant}
            yield LAST_ONLY.note(run.program.span_of(statement), (), fix, **words, quotient=run.case.text(quotient))


def _grown_in(loop: ast.For) -> Iterator[str]:
    """The names that the turns of a loop add to, loops inside of it apart."""
    waiting: list[ast.AST] = list(loop.body)
    while waiting:
        node = waiting.pop(0)
        match node:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add()):
                yield name
            case ast.With() | ast.If():
                waiting += node.body
            case ast.For() | ast.While():
                pass


def reset(run: Record) -> Iterator[Note]:
    """``total = 0`` in the loop that adds to it."""
    for loop, _, after in _loops(run):
        grown = set(_grown_in(loop))
        for statement in loop.body:
            name = _begun(statement)
            if name not in grown or _read(loop.body, name) or not _read(after, name):
                continue
            if len(_stored([loop], name)) != 2 or _stored(after[:1], name):  # the beginning and the sum
                continue
            fix = run.fix(moved_before(run.case, statement, loop), "Before the loop", "移到循环之前")
            yield RESET.note(run.program.span_of(statement), (), fix, text=run.case.text(statement), name=name)


def not_reset(run: Record) -> Iterator[Note]:
    """``total = 0`` before the loop over epochs, and ``total / len(loader)`` in it."""
    for outer, before, after in _loops(run):
        begun = _all_begun(before)
        for at, inner in enumerate(outer.body):
            if not isinstance(inner, ast.For):
                continue
            for name in set(_grown_in(inner)) & set(begun):
                quotient = _quotient(run, outer.body[at + 1 :], name, inner)
                alone = len(_stored([outer], name)) == len(_stored([inner], name)) == 1
                if quotient is None or not alone or _read(after, name):
                    continue
                fix = run.fix(
                    _moved_into(run, begun[name], inner), "At the beginning of every turn", "移到每一轮的开头"
                )
                yield NOT_RESET.note(
                    run.program.span_of(quotient), (), fix, name=name, quotient=run.case.text(quotient)
                )


def _moved_into(run: Record, statement: ast.stmt, inner: ast.stmt) -> list[Edit]:
    return moved_before(run.case, statement, inner) if _begun(statement) else []


def added_once(run: Record) -> Iterator[Note]:
    """``correct += ...`` behind the loop over batches, whose last batch it counts."""
    for loop, before, after in _loops(run):
        begun = _all_begun(before)
        late = [one for one in after if _adds(one) in begun and _is_of_turn(loop, before, one)]
        late = [one for one in late if not _named([loop], _adds(one)) and len(_stored(after, _adds(one))) < 2]
        divided = [(one, quotient) for one in late if (quotient := _quotient(run, after, _adds(one), None)) is not None]
        for statement, quotient in divided[:1]:
            fix = indented(run, loop, late)
            words = {"text": run.case.text(statement), "name": _adds(statement)}
            words |= {"source": run.case.text(loop.iter), "quotient": run.case.text(quotient)}
            yield ADDED_ONCE.note(run.program.span_of(statement), (), fix, **words)


def _adds(statement: ast.stmt) -> str:
    """The name that a statement adds a number to."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
            plain = any(
                isinstance(one, ast.Attribute) and one.attr in ("item", "size", "shape") for one in ast.walk(value)
            )
            counted = any(isinstance(one, ast.Name) and one.id in ("len", "float", "int") for one in ast.walk(value))
            return name if plain or counted else ""
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append"),
                args=[ast.Call(func=ast.Attribute(attr="item"))],
            )
        ):
            return name
    return ""


def _is_of_turn(loop: ast.For, before: Sequence[ast.stmt], statement: ast.stmt) -> bool:
    """Whether a statement uses what only the turns of a loop give a value."""
    used = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    inside = {one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return any(not _stored(before, name) for name in used & inside)


def indented(run: Record, loop: ast.For, statements: Sequence[ast.stmt]) -> Fix | None:
    """Statements of one line each moved to the right, into the loop that ends before them."""
    spans = [run.program.span_of(one) for one in statements]
    head, body = run.program.span_of(loop), run.program.span_of(loop.body[-1])
    if head is None or body is None or body.line == head.line:
        return None
    end, edits = head.end_line, list[Edit]()
    for span in spans:
        if (
            span is None
            or span.line != span.end_line
            or span.line != end + 1
            or run.case.line(span.line)[: span.column].strip()
        ):
            return None
        end = span.line
        edits.append(insertion(span.line, span.column, " " * (body.column - span.column)))
    return run.fix(edits, "Indent into the loop", "缩进到循环里")


def last_trained(run: Record) -> Iterator[Note]:
    """``loss.backward()`` behind the loop that computes a loss in every turn."""
    for loop, _, after in _loops(run):
        if not after:
            continue
        name = _backward_of(after[0])
        if not name or len(_stored(loop.body, name)) != 1 or _read(loop.body, name):
            continue
        wasted = _wasted(run, after[0])
        if wasted and _read(after[:1], name):
            steps = [one for one in after[1:2] if isinstance(one, ast.Expr) and run.case.text(one).endswith(".step()")]
            fix = indented(run, loop, [after[0], *steps])
            yield LAST_TRAINED.note(run.program.span_of(after[0]), (), fix, text=run.case.text(after[0]), count=wasted)


def _backward_of(statement: ast.stmt) -> str:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward"))):
            return name
    return ""


def _wasted(run: Record, statement: ast.stmt) -> int:
    """Of the losses computed before the passes of a statement how many, for each, no pass went through."""
    spans = run.program.span_of(statement)
    passes = [one for one in run.passes if (own := run.span(one.place)) and spans and own.line == spans.line]
    made = [one.roots[0][0].first.node for one in passes if one.roots]
    if not made or made[0] is None:
        return 0
    alike = [one for one in run.alike(made[0]) if one.place == made[0].place]
    lost = [one for one in alike if one not in run.ran_backward and one.node is not None]
    return len(lost) // len(passes) if len(lost) >= len(passes) else 0


TRAPS: Final = (last_only, reset, not_reset, added_once, last_trained)
