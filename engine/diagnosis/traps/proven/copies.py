"""Traps of memory that has several names: histories of one tensor, values kept that go on changing, data that is written into."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from gradflow.engine.diagnosis.traps.edits import copying
from gradflow.engine.diagnosis.traps.overlooked.aliases import same_memory
from gradflow.engine.diagnosis.traps.proven.trails import memory_of
from gradflow.engine.diagnosis.traps.record import Record, Trap, attributes_of, is_to_stay
from gradflow.engine.recording.chronology import EventEntry
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix, Note, Text

HISTORY: Final = Trap(
    "history-of-one-tensor",
    "All {count} elements of `{name}` are the same memory: `{text}` is no copy, and line {line} writes into it, so every element shows the last values. Keep a copy:"
    " `{meant}`.",
    "`{name}` 的 {count} 个元素都是同一块内存：`{text}` 不是副本，而第 {line} 行会改写它，所以每个元素显示的都是最后的值。请保存副本：`{meant}`。",
)
KEPT: Final = Trap(
    "kept-values-change",
    "`{name}` is to keep values, by its name, and `{text}` is no copy: it is the memory of {names}, which line {line} goes on changing, and at the end it holds the"
    " last values. Keep a copy: `{meant}`.",
    "从名字看 `{name}` 是要保存数值的，而 `{text}` 不是副本：它就是 {names} 的内存，第 {line} 行还在不断改变它，到最后它里面是最后的值。请保存副本：`{meant}`。",
)
SOURCE_WRITTEN: Final = Trap(
    "source-written-through-name",
    "`{text}` is no copy, but another name for `{source}`, and line {line} writes in place: `{source}` itself is changed{again}. Copy it first: `{meant}`.",
    "`{text}` 不是副本，只是 `{source}` 的另一个名字，而第 {line} 行是就地写入：`{source}` 本身被改变了{again}。请先复制：`{meant}`。",
)

_STAYING: Final = frozenset({"prev", "previous", "initial", "snapshot", "orig", "original", "shadow", "last", "start"})
_COPIED: Final = re.compile(r"adv|nois|perturb|corrupt|aug|masked|copy|new|shift|flip", re.IGNORECASE)


def _writes(run: Record, memory: object, first: int = 0, last: int = 10**9) -> list[EventEntry]:
    """The writes into memory in some lines of the program."""
    return [
        event
        for event in run.events()
        if event.kind in ("write", "step")
        and first <= run.line(event.place) <= last
        and any(_lies_in(entry.tensor, memory) for entry in event.tensors())
    ]


def _lies_in(tensor: Tensor, memory: object) -> bool:
    return tensor._st.memory is memory


def _memory_behind(run: Record, held: object) -> object:
    """The memory of a tensor; of an array that of the tensor whose elements it shows."""
    if isinstance(held, Tensor):
        return held._st.memory
    place = memory_of(held)
    if place is None:
        return None
    tensors = (one.tensor for one in run.recorder.entries)
    return next((one._st.memory for one in tensors if memory_of(one) == place), None)


# -- histories ---------------------------------------------------------------------------------------------------------


def histories(run: Record) -> Iterator[Note]:
    """``path.append(w.detach())`` in a loop that writes into ``w``."""
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[kept]):
                name = run.case.text(owner)
                loop = run.case.enclosing(call, ast.For) or run.case.enclosing(call, ast.While)
            case _:
                continue
        lines = (loop.lineno, loop.end_lineno or loop.lineno) if loop is not None else (0, 0)
        found = _one_memory(run, name) if loop is not None else None
        writes = _writes(run, found[1], *lines) if found is not None else []
        if found is not None and len(writes) > 1:
            yield _history(run, name, kept, found, writes)
    yield from _multiplied(run)


def pairs(run: Record) -> Iterator[Note]:
    """``buffer.append((state, action))`` in a loop that writes into ``state``."""
    for call in run.case.nodes(ast.Call):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[ast.Tuple(elts=parts)]):
                loop = run.case.enclosing(call, ast.For) or run.case.enclosing(call, ast.While)
                held = run.namespace.get(name)
            case _:
                continue
        kept = [one for one in held if isinstance(one, tuple) and len(one) == len(parts)] if type(held) is list else []
        if loop is None or len(kept) < 2 or len(kept) != len(held):  # type: ignore[arg-type]  # a list, as was looked
            continue
        for at, part in enumerate(parts):
            places = {memory_of(one[at]) for one in kept}
            memory = _memory_behind(run, kept[0][at]) if len(places) == 1 and None not in places else None
            writes = _writes(run, memory, loop.lineno, loop.end_lineno or loop.lineno) if memory is not None else []
            if len(writes) > 1:
                yield _history(run, name, part, (len(kept), memory, isinstance(kept[0][at], np.ndarray)), writes)


def _history(run: Record, name: str, kept: ast.expr, found: tuple[int, object, bool], writes: list[EventEntry]) -> Note:
    way = ".copy()" if found[2] else ".clone()"
    meant = f"{run.case.text(kept)}{way}"
    fix = run.fix(run.case.followed(kept, way), f"`{meant}`", f"`{meant}`")
    words = {"name": name, "count": found[0], "text": run.case.text(kept), "meant": meant}
    return HISTORY.note(run.program.span_of(kept), (), fix, **words, line=run.line(writes[0].place))


def _multiplied(run: Record) -> Iterator[Note]:
    """``rows = [torch.zeros(3)] * 4``, and a write into one of them."""
    for node in run.case.nodes(ast.BinOp):
        match node:
            case ast.BinOp(left=ast.List(elts=[ast.Call() as made]), op=ast.Mult(), right=times):
                target = run.case.parents.get(node)
            case _:
                continue
        if not isinstance(target, ast.Assign) or not isinstance(target.targets[0], ast.Name):
            continue
        name = target.targets[0].id
        found = _one_memory(run, name)
        writes = _writes(run, found[1], node.lineno) if found is not None else []
        if found is not None and writes:
            meant = f"[{run.case.text(made)} for _ in range({run.case.text(times)})]"
            fix = run.fix(run.case.replace(node, meant), f"`{meant}`", f"`{meant}`")
            words = {"name": name, "count": found[0], "text": run.case.text(node), "meant": meant}
            yield HISTORY.note(run.program.span_of(node), (), fix, **words, line=run.line(writes[0].place))


def _one_memory(run: Record, name: str) -> tuple[int, object, bool] | None:
    """Of a list whose elements are all one memory: their number, the memory, and whether they are arrays."""
    try:
        held = run.case_at_end.value(ast.parse(name, mode="eval").body)
    except SyntaxError:
        return None
    elements: list[object] = list(held) if type(held) is list else []
    if len(elements) < 2:
        elements = next((list(one) for one in _joined(run, name)), [])
    places = {memory_of(one) for one in elements}
    if len(elements) < 2 or len(places) != 1 or None in places:
        return None
    return len(elements), _memory_behind(run, elements[0]), isinstance(elements[0], np.ndarray)


def _joined(run: Record, name: str) -> Iterator[list[Tensor]]:
    """The tensors that a call put together of a list, where the list has no name any more."""
    for node in run.calls("stack cat"):
        call = run.call_at(run.span(node.place))
        given = call.args[0] if call is not None and call.args else None
        if isinstance(given, ast.Name) and given.id == name:
            yield [entry.tensor for entry in node.inputs]


# -- what is to stay ---------------------------------------------------------------------------------------------------


def kept(run: Record) -> Iterator[Note]:
    """``best = model.weight.detach()``, which the next step changes."""
    moved = {memory_of(entry.tensor): entry for entry in run.moved}
    for event in run.events():
        if event.kind == "write" and event.told["leaf"] is None:
            moved.update({memory_of(one.tensor): one.first for one in event.tensors() if one.first in run.reached})
    told = {note.span for note in same_memory(run)} if moved else set()
    for statement in run.case.nodes(ast.Assign) if moved else ():
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _stays(name):
                held = run.namespace.get(name)
            case _:
                continue
        if run.program.span_of(value) in told or run.case.text(value).endswith("state_dict()") or _is_module(held):
            continue
        shared = [moved[place] for one in _parts(held) if (place := memory_of(one)) in moved]
        later = (
            _later(run, statement, shared[0].tensor)
            if shared and isinstance(value, ast.Call | ast.Attribute | ast.DictComp | ast.ListComp | ast.Name)
            else []
        )
        if later and _is_read(run, name, statement) and len(shared) == len(_parts(held)):
            meant, fix = _copied(run, value, held)
            words = {"name": name, "text": " ".join(run.case.text(value).split()), "meant": meant}
            yield KEPT.note(run.program.span_of(value), shared, fix, **words, names=run.names(shared), line=later[0])


def _stays(name: str) -> bool:
    return is_to_stay(name) or any(word in _STAYING for word in name.lower().split("_"))


def _is_module(held: object) -> bool:
    return isinstance(attributes_of(held).get("_parameters"), dict)


def _parts(held: object) -> list[object]:
    """A tensor, or those in a list or a dictionary."""
    if isinstance(held, dict):
        return list(dict.values(held))
    return list(held) if type(held) in (list, tuple) else [held]  # type: ignore[call-overload]  # none of the program's own


def _later(run: Record, statement: ast.stmt, tensor: Tensor) -> list[int]:
    """The lines that write into a tensor after a statement: below it, or in a loop around it."""
    loop = run.case.enclosing(statement, ast.For)
    begin = loop.lineno if loop is not None else statement.lineno
    return [run.line(one.place) for one in _writes(run, tensor._st.memory, begin)]


def _is_read(run: Record, name: str, statement: ast.stmt) -> bool:
    return any(
        one.id == name and isinstance(one.ctx, ast.Load) and one.lineno > statement.lineno
        for one in run.case.nodes(ast.Name)
    )


def _copied(run: Record, value: ast.expr, held: object) -> tuple[str, Fix | None]:
    text = " ".join(run.case.text(value).split())
    if isinstance(held, Tensor):
        way = ".detach().clone()" if held.requires_grad else ".clone()"
        return f"{text}{way}", run.fix(run.case.followed(value, way), f"`{text}{way}`", f"`{text}{way}`")
    if isinstance(held, np.ndarray):
        return f"{text}.copy()", run.fix(run.case.followed(value, ".copy()"), f"`{text}.copy()`", f"`{text}.copy()`")
    copy, imports = copying(run)
    edits = [*run.case.wrapped(value, f"{copy}(", ")"), *imports]
    return f"{copy}({text})", run.fix(edits, f"`{copy}`", f"`{copy}`")


# -- what is written through another name ------------------------------------------------------------------------------


def sources_written(run: Record) -> Iterator[Note]:
    """``x = data`` and ``x += noise`` in a loop; ``adv = x.detach()`` and ``adv += step``."""
    for statement in run.case.nodes(ast.Assign):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=source)):
                loop = run.case.enclosing(statement, ast.For)
                if loop is None or _is_stored(loop, source):
                    continue
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=source), attr="detach"))
                | ast.Attribute(value=ast.Name(id=source), attr="data"),
            ) if _COPIED.search(name):
                pass
            case _:
                continue
        held = run.namespace.get(source)
        write = _written_behind(run, statement, name)
        if not isinstance(held, Tensor) or write is None or any(one is held for one in _held_by_steps(run)):
            continue
        events = _writes(run, held._st.memory, write.lineno, write.end_lineno or write.lineno)
        again = isinstance(statement.value, ast.Name)
        if len(events) > again and _is_read(run, source, write if not again else ast.Pass(lineno=0)):
            yield _written(run, statement, source, write, again)


def arguments_written(run: Record) -> Iterator[Note]:
    """``xb = augment(data)`` in a loop, where ``augment`` writes into what it is given."""
    for function in run.case.nodes(ast.FunctionDef):
        names = [one.arg for one in function.args.args]
        write = next((one for one in function.body if _written_name(one) in names), None)
        back = function.body[-1]
        if write is None or not isinstance(back, ast.Return) or getattr(back.value, "id", "") != _written_name(write):
            continue
        if any(_is_stored(one, _written_name(write)) for one in function.body if one is not write):
            continue
        at = names.index(_written_name(write))
        for statement in run.case.nodes(ast.Assign):
            match statement:
                case ast.Assign(targets=[ast.Name(id=other)], value=ast.Call(func=ast.Name(id=called), args=args)) if (
                    called == function.name and at < len(args)
                ):
                    given, loop = args[at], run.case.enclosing(statement, ast.For)
                case _:
                    continue
            held = run.namespace.get(given.id) if isinstance(given, ast.Name) else None
            if loop is None or not isinstance(given, ast.Name) or given.id == other or _is_stored(loop, given.id):
                continue
            if isinstance(held, Tensor) and len(_writes(run, held._st.memory, write.lineno, write.lineno)) > 1:
                meant = f"{given.id}.clone()"
                fix = run.fix(run.case.after(given, ".clone()"), f"`{meant}`", f"`{meant}`")
                more = Text(", once more in every turn", "，而且每一轮都再变一次")
                words = {"text": run.case.text(statement), "source": given.id, "line": write.lineno, "meant": meant}
                yield SOURCE_WRITTEN.note(run.program.span_of(statement), (), fix, **words, again=more)


def arguments_written_by_name(run: Record) -> Iterator[Note]:
    """``noisy = batch`` and ``noisy += ...`` in a function that is handed the same data in every turn."""
    for function in run.case.nodes(ast.FunctionDef):
        for alias in function.body:
            match alias:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=source)) if source in [
                    one.arg for one in function.args.args
                ]:
                    block = function.body[function.body.index(alias) + 1 :]
                case _:
                    continue
            write = next((one for one in block if _written_name(one, parts=True) == name), None)
            back = function.body[-1]
            if write is None or not isinstance(back, ast.Return) or getattr(back.value, "id", "") != name:
                continue
            kept = [
                held._st.memory
                for held in run.held()
                if isinstance(held, Tensor) and not held.requires_grad and held.numel() > 1
            ]
            if any(len(_writes(run, memory, write.lineno, write.lineno)) > 1 for memory in kept):
                yield _written(run, alias, source, write, again=True)


def _written_name(statement: ast.stmt, parts: bool = False) -> str:
    """The name of what a statement writes into; with ``parts``, also of what it writes a part of."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]) if parts:
            return name
        case ast.AugAssign(target=ast.Name(id=name)):
            return name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr))) if attr.endswith("_"):
            return name
    return ""


def _written(run: Record, statement: ast.Assign, source: str, write: ast.stmt, again: bool) -> Note:
    meant = f"{run.case.text(statement.value)}.clone()"
    fix = run.fix(run.case.followed(statement.value, ".clone()"), f"`{meant}`", f"`{meant}`")
    words = {"text": run.case.text(statement), "source": source, "line": write.lineno, "meant": meant}
    more = Text(", once more in every turn", "，而且每一轮都再变一次") if again else ""
    return SOURCE_WRITTEN.note(run.program.span_of(statement), (), fix, **words, again=more)


def _held_by_steps(run: Record) -> list[Tensor]:
    return [entry.tensor for entry in run.moved]


def _is_stored(loop: ast.AST, name: str) -> bool:
    return any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) for one in ast.walk(loop)
    )


def _written_behind(run: Record, statement: ast.stmt, name: str) -> ast.stmt | None:
    """The next statement of the same block that writes in place into what has a name."""
    block = getattr(run.case.parents.get(statement), "body", [])
    for other in block[block.index(statement) + 1 :] if statement in block else ():
        match other:
            case ast.AugAssign(target=ast.Name(id=written)) if written == name:
                return other
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=written), attr=attr))) if (
                written == name and attr.endswith("_")
            ):
                return other
            case ast.Assign(targets=[ast.Name(id=again)]) if again == name:
                return None
    return None


TRAPS: Final = (histories, pairs, kept, sources_written, arguments_written, arguments_written_by_name)
