"""Two tensors whose sizes had to agree: what made them differ, told by how one was computed from the other, or where both were kept."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.elsewhere.longest import length_named
from gradflow.engine.diagnosis.findings.elsewhere.transposed import too_small
from gradflow.engine.diagnosis.findings.general.sources import shape_at
from gradflow.engine.diagnosis.findings.layers import maker_of
from gradflow.engine.diagnosis.findings.origins.returning import returning, side_written
from gradflow.engine.diagnosis.findings.origins.sides import sides_elsewhere, told_elsewhere, with_sides
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.provenance import Change, changes
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.trace import Edit, Fix

Sizes = Sequence[int]
Said = tuple[str, str]
Begun = tuple[int, int, list[int]]


def met(case: Case, node: ast.expr, pair: Sequence[ast.expr], back: int, said: Said) -> Finding | None:
    """What made two tensors differ in a dimension, counted from the last, in which they had to agree; ``said``: that they differ."""
    for source, end in ((0, 1), (1, 0)):
        if (found := _on_the_way(case, pair[source], pair[end], back, said)) is not None:
            return found
    for kept, other in ((1, 0), (0, 1)):
        if (found := _kept_for_longest(case, node, pair[kept], pair[other], said)) is not None:
            return found
    return _all_pairs(case, node, pair, said)


# ---- one computed from the other


def _on_the_way(case: Case, source: ast.expr, end: ast.expr, back: int, said: Said) -> Finding | None:
    """``x + f(x)``, where ``f`` changes the size."""
    flow = Flow(case)
    first, last = flow.tensor(source), flow.tensor(end)
    if first is None or last is None or first._entry is None or last._entry is None:
        return None
    found = [one for one in changes(first._entry, last._entry, back) if case.context.span_at(one.entry.place)]
    if not found:
        return None
    for change in found:
        if (padded := _unpadded(case, source, end, change, said)) is not None:
            return padded
    if len(found) > 1 and found[-1].after != found[0].before:
        if (short := too_small(case, source, end, found, said)) is not None:
            return short
        sizes = returning(case, first._entry, found, back)
        begun = side_written(case, first._entry, sizes[0], back) if sizes is not None else None
        return _not_back(case, source, end, found, said, (sizes, begun))
    return _of_other_width(case, source, end, found[0], back, said)


def _not_back(
    case: Case,
    source: ast.expr,
    end: ast.expr,
    found: Sequence[Change],
    said: Said,
    beginning: tuple[Begun | None, ast.expr | None],
) -> Finding:
    """Sizes that are made smaller, and larger again to another size."""
    sizes, written = beginning
    steps = [(node, one.after) for one in found if (node := _place(case, one)) is not None]
    told = ", then ".join(f"{size} ({code(case, node)}, line {line(node)})" for node, size in steps)
    told_zh = "，再变成 ".join(f"{size}（{code(case, node)}，第 {line(node)} 行）" for node, size in steps)
    before = found[0].before
    text, edits = _resized(case, source, end)
    if sizes is not None and written is not None and not text:
        statement = case.statement(written)
        shown = code(case, statement if isinstance(statement, ast.Assign) else case.parents[written])
        sides = [str(one) for one in sizes[2]]
        also, also_zh = told_elsewhere(case, sides_elsewhere(case, written, sizes[0]))
        return finding(
            case,
            f"{shown} on line {line(written)} begins with a side of {sizes[0]}, which is not divisible by {sizes[1]}: {code(case, end)} was computed from"
            f" {code(case, source)}, and its {before} became {told}, not {before} again. {said[0]} Begin with {' or '.join(sides)} there{also}.",
            f"第 {line(written)} 行的 {shown} 让边长从 {sizes[0]} 开始，而它不能被 {sizes[1]} 整除：{code(case, end)} 是由 {code(case, source)} 算出的，其中的"
            f" {before} 变成 {told_zh}，没有回到 {before}。{said[1]}请在那里改用 {' 或 '.join(sides)}{also_zh}。",
            with_sides(case, written, sizes[0], sizes[2]),
            written,
        )
    brought = (
        f"bring {code(case, end)} to the size of the other: `{text}`"
        if text
        else "cut or pad one of the two to the other's size"
    )
    brought_zh = f"把 {code(case, end)} 变成另一个的大小：`{text}`" if text else "把其中一个裁剪或补齐到另一个的大小"
    begin, begin_zh = _begun(sizes)
    if begin and written is not None:
        begin, begin_zh = f"{begin} (line {line(written)})", f"{begin_zh}（第 {line(written)} 行）"
    action, action_zh = (f"{begin}, or {brought}", f"{begin_zh}，或者{brought_zh}") if begin else (brought, brought_zh)
    return finding(
        case,
        f"{said[0]} {code(case, end)} was computed from {code(case, source)}, and its {before} became {told}: the way back does not lead to"
        f" {before}. {action[:1].upper()}{action[1:]}.",
        f"{said[1]}{code(case, end)} 是由 {code(case, source)} 算出的，其中的 {before} 变成 {told_zh}：回来时不再是 {before}。请{action_zh}。",
        apply(case, edits, f"`{text}`", f"`{text}`") or (),
        written if written is not None else steps[0][0] if steps else None,
    )


def _begun(sizes: Begun | None) -> Said:
    """That the input is to have a side that comes back, in both languages."""
    if sizes is None:
        return "", ""
    begin, whole, sides = sizes
    return (
        f"begin with a side divisible by {whole}, such as {' or '.join(map(str, sides))} in the place of {begin}",
        f"从能被 {whole} 整除的边长开始，例如用 {' 或 '.join(map(str, sides))} 代替 {begin}",
    )


def _resized(case: Case, source: ast.expr, end: ast.expr) -> tuple[str, list[Edit]]:
    """``interpolate(up, size=skip.shape[2:])`` for maps that are joined or added by name."""
    held, other = Flow(case).tensor(source), Flow(case).tensor(end)
    used = case.find(ast.expr)
    places = [one for one in ast.walk(used) if case.text(one) == case.text(end)] if used is not None else []
    if held is None or other is None or held.dim() not in (3, 4, 5) or held.dim() != other.dim() or len(places) != 1:
        return "", []
    if not isinstance(source, ast.Name) or not isinstance(places[0], ast.Name):
        return "", []
    torch, imports = case.with_torch()
    text = f"{torch}.nn.functional.interpolate({places[0].id}, size={source.id}.shape[2:])"
    return text, [*case.replace(places[0], text), *imports]


def _place(case: Case, change: Change) -> ast.expr | None:
    return case.at(ast.expr, change.entry.place)


def _layer(case: Case, node: ast.expr | None) -> tuple[Layer, ast.Call] | None:
    """The layer that a call runs, and where it was made."""
    value = case.value(node.func) if isinstance(node, ast.Call) else None
    made = maker_of(case, value) if isinstance(value, Layer) else None
    return (value, made) if isinstance(value, Layer) and made is not None else None


def _unpadded(case: Case, source: ast.expr, end: ast.expr, change: Change, said: Said) -> Finding | None:
    """A convolution without padding, which loses the border."""
    found = _layer(case, node := _place(case, change))
    if found is None or node is None or not type(found[0]).__name__.startswith("Conv"):
        return None
    layer, made = found
    kernel, lost = tuple(getattr(layer, "kernel_size", ())), change.before - change.after
    if argument_of(made, 4, "padding") is not None or not kernel or lost != kernel[-1] - 1 or lost % 2:
        return None
    fix = case.fix(case.argument(made, f"padding={lost // 2}"), made)
    return finding(
        case,
        f"{said[0]} {code(case, end)} was computed from {code(case, source)}, and on the way {code(case, made)} (line {line(made)}) makes"
        f" {change.after} of {change.before}: a convolution without padding loses the border. Keep it: `padding={lost // 2}`.",
        f"{said[1]}{code(case, end)} 是由 {code(case, source)} 算出的，途中第 {line(made)} 行的 {code(case, made)} 把 {change.before} 变成了"
        f" {change.after}：不带填充的卷积会丢掉边缘。请保留边缘：`padding={lost // 2}`。",
        fix or (),
        made,
    )


def _of_other_width(
    case: Case, source: ast.expr, end: ast.expr, change: Change, back: int, said: Said
) -> Finding | None:
    """A layer that gives another number of features: what is added to its result needs a layer of its own."""
    node = _place(case, change)
    if node is None:
        return None
    found = _layer(case, node)
    made = found[1] if found is not None else node
    kind = type(found[0]).__name__ if found is not None else ""
    torch, _ = case.with_torch()
    own = f"{torch}.nn.{kind}({change.before}, {change.after}{', 1' if kind.startswith('Conv') else ''})"
    matching = kind == "Linear" or (kind.startswith("Conv") and back == len(shape_at(case, source) or ()) - 1)
    action = (
        f"Bring {code(case, source)} to {change.after} by a layer of its own, such as `{own}`, or let that one give"
        f" {change.before}"
        if matching
        else f"Let it keep the {change.before}, or bring {code(case, source)} to {change.after} in the same way"
    )
    action_zh = (
        f"请给 {code(case, source)} 另加一层使它变成 {change.after}，例如 `{own}`，或者让那一层也输出 {change.before}"
        if matching
        else f"请让它保持 {change.before}，或者用同样的方法把 {code(case, source)} 变成 {change.after}"
    )
    return finding(
        case,
        f"{said[0]} {code(case, end)} was computed from {code(case, source)}, and on the way {code(case, made)} (line {line(made)}) makes"
        f" {change.after} of {change.before}. {action}.",
        f"{said[1]}{code(case, end)} 是由 {code(case, source)} 算出的，途中第 {line(made)} 行的 {code(case, made)} 把 {change.before} 变成了"
        f" {change.after}。{action_zh}。",
        (),
        made,
    )


# ---- a table for the longest input


def _kept_for_longest(case: Case, node: ast.expr, kept: ast.expr, other: ast.expr, said: Said) -> Finding | None:
    """``x + self.pe``, a table made once for the longest row."""
    held, flow = _attribute_in(case, kept), Flow(case)
    sizes, wanted = shape_at(case, held) if held is not None else None, shape_at(case, other)
    if held is None or sizes is None or wanted is None or _attribute_in(case, other) is not None:
        return None
    tensor = flow.tensor(held)
    aligned = list(zip(sizes[::-1], wanted[::-1], strict=False))
    differing = [at for at, (own, new) in enumerate(aligned) if own != new and 1 not in (own, new)]
    if (
        tensor is None
        or tensor.requires_grad
        or not differing
        or any(aligned[at][0] < aligned[at][1] for at in differing)
    ):
        return None
    name = case.text(other) if isinstance(other, ast.Name | ast.Attribute) else f"({case.text(other)})"
    cuts = {at: f"{name}.size({len(wanted) - 1 - at})" for at in differing}
    parts = [
        f":{length_named(case, held, aligned[at][1], cuts[at])}" if at in cuts else ":" for at in range(len(sizes))
    ]
    parts.reverse()
    while parts[-1] == ":":
        parts.pop()
    text = f"{case.operand(held)}[{', '.join(parts)}]"
    made = _set_at(case, held)
    where, where_zh = on_line(made)
    own, new = aligned[differing[0]]
    return finding(
        case,
        f"{said[0]} {code(case, held)}{where} was made once, for {own}, and this input has {new}. Take as much of it as is needed:"
        f" `{text}`.",
        f"{said[1]}{code(case, held)}{where_zh} 是一次性按 {own} 创建的，而这次的输入是 {new}。请只取需要的部分：`{text}`。",
        case.fix(case.replace(held, text), node),
        held,
    )


def _attribute_in(case: Case, node: ast.expr) -> ast.Attribute | None:
    """What an object keeps, as it is used here: ``self.mask`` in ``self.mask == 0``."""
    shape = shape_at(case, node)
    for one in ast.walk(node):
        own = isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "self"
        if own and isinstance(one, ast.Attribute) and shape_at(case, one) == shape:
            return one
    return None


def _set_at(case: Case, held: ast.Attribute) -> ast.AST | None:
    """Where an object gets a tensor that it keeps."""
    for one in case.nodes(ast.Call):
        named = one.args[0] if one.args else None
        if getattr(one.func, "attr", "") == "register_buffer" and getattr(named, "value", "") == held.attr:
            return one
    return next(
        (one for one in case.nodes(ast.Assign) for part in one.targets if ast.unparse(part) == ast.unparse(held)), None
    )


# ---- every row with every other


def _all_pairs(case: Case, node: ast.expr, pair: Sequence[ast.expr], said: Said) -> Finding | None:
    """``points - centres``: as many features, another number of rows, so no row has a partner."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return None
    shapes = [shape_at(case, one) for one in pair]
    if any(one is None or len(one) != 2 for one in shapes) or shapes[0] is None or shapes[1] is None:
        return None
    if shapes[0][1] != shapes[1][1] or shapes[0][0] == shapes[1][0]:
        return None
    text = f"{case.operand(pair[0])}[:, None] - {case.operand(pair[1])}[None]"
    fix: Fix | None = case.fix([*case.followed(pair[0], "[:, None]"), *case.followed(pair[1], "[None]")], node)
    return finding(
        case,
        f"{said[0]} The rows have as many numbers, but there are {shapes[0][0]} and {shapes[1][0]} of them, so row k has no partner. For"
        f" the difference of every row to every other write `{text}`.",
        f"{said[1]}两边每行的数一样多，但行数分别是 {shapes[0][0]} 和 {shapes[1][0]}，第 k 行没有对应的行。要得到每一行与另一边每一行之差，请写 `{text}`。",
        fix or (),
    )
