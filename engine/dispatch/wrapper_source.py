"""The Python source of the function that programs call for an operation, derived from its declaration.

The names that the source uses are those of `gradflow.engine.dispatch.compile`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradflow.engine.dispatch import operands
from gradflow.engine.pytorch import MEMORY_ORDER

if TYPE_CHECKING:
    from gradflow.engine.registry import Form, Op, Param


def _signature(op: Op) -> str:
    parts: list[str] = []
    keyword_only = False
    for p in op.params:
        if p.parameter.kind is p.parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        if p.spread:
            parts.append(f"*{p.name}")
            keyword_only = True
        else:
            default = "" if p.parameter.default is p.parameter.empty else f"=default_{p.name}"
            parts.append(p.name + default)
    return ", ".join(parts)


def _unwrap(op: Op, p: Param, position: int, operand_of_operator: bool = False) -> list[str]:
    n = p.name
    wants = p.name in op.texts
    if p.kind == "tensors":
        return [
            f"    {n} = sequence({n}, OP, {n!r}, {position})",
            f"    {n}_a = [t._a for t in {n}]",
            f"    {n}_r = any([t.requires_grad for t in {n}])",
        ]
    lines = [f"    if isinstance({n}, Tensor):", f"        {n}_a = {n}._a"]
    if wants:
        lines += [f"        {n}_r = {n}._node is not None or {n}._rg if {n}._view is None else requires_grad_now({n})"]
    convert = "number" if p.kind == "operand" else "tensor_only"
    if p.optional:
        lines += [f"    elif {n} is None:", f"        {n}_a = None"] + ([f"        {n}_r = False"] if wants else [])
    # a scalar of NumPy is replaced by the number, for what is saved as well
    target = f"{n} = {n}_a" if p.kind == "operand" else f"{n}_a"
    lines += ["    else:", f"        {target} = {convert}({n}, OP, {n!r}, {position})"]
    if operand_of_operator:  # Python then asks the other operand, and says which it cannot take
        lines.insert(-1, f"        if not isinstance({n}, NUMBER): return foreign(OP, {op.params[0].name}, {n})")
    return lines + ([f"        {n}_r = False"] if wants else [])


def _promotion(op: Op) -> list[str]:
    if op.promote == "none":
        return []
    names = [f"{p.name}_a" for p in op.tensors if p.kind == "operand"]
    if any(p.kind == "tensors" for p in op.tensors):
        name = next(p.name for p in op.tensors if p.kind == "tensors")
        return [f"    {name}_a = promote_all({name}_a)"]
    lines = []
    if len(names) > 1:
        first = names[0]
        same = " or ".join(
            [f"{first}.__class__ is not ND"]
            + [f"{n}.__class__ is not ND or {n}.dtype is not {first}.dtype" for n in names[1:]]
        )
        cast = {"common": "promote", "difference": "promote_difference", "float": "promote_to_float"}[op.promote]
        lines += [f"    if {same}:", f"        {', '.join(names)} = {cast}({', '.join(names)})"]
    if op.promote == "float":
        lines += [f"    if {n}.__class__ is not ND or {n}.dtype.kind not in 'fcV': {n} = to_float({n})" for n in names]
    return lines


def _refusal(op: Op, *, by_kernel: bool, in_place: bool = False) -> list[str]:
    """Refuse kinds of elements: PyTorch's functions do so at once, its kernels when the shapes have been looked at."""
    reasons = [letters for letters, reason in op.refuses.items() if isinstance(reason, str) is by_kernel]
    chars = "".join(operands.ELEMENTS[letter] for letters in reasons for letter in letters)
    names = [f"{p.name}_a" for p in op.tensors if p.kind != "tensors"] if chars else []
    written = f", {op.params[0].name}" if in_place and by_kernel else ""
    return [
        f"    if {n}.__class__ is ND and {n}.dtype.char in {chars!r}: raise refused(OP, {n}{written}) from None"
        for n in names
    ]


def _body_call(op: Op, in_place: bool) -> list[str]:
    arguments = []
    for p in op.params:
        value = p.name if p.kind == "setting" else f"{p.name}_a"
        arguments.append(f"{p.name}={value}" if p.parameter.kind is p.parameter.KEYWORD_ONLY else value)
    call = f"body({', '.join(arguments)})"
    refusal = _refusal(op, by_kernel=True, in_place=in_place)
    if not op.elementwise and not refusal:
        return [f"    out_a = {call}"]
    lines, shapes = ["    try:", f"        out_a = {call}"], list[str]()
    if op.elementwise:  # PyTorch looks at the shapes before it looks for a kernel
        tensors = [f"{p.name}_a" for p in op.tensors]
        operands = f"({', '.join(tensors[::-1] if op.swapped else tensors)},)"
        lines += [
            "    except (ValueError, NotImplementedError) as error:",
            f"        raise broadcast_error(error, {operands}) from None",
        ]
        shapes = [f"        if (misfit := broadcast_error(None, {operands})) is not None: raise misfit from None"]
    if refusal:  # NumPy may have no function for such elements
        refused = [f"    {line}" for line in refusal]
        lines += ["    except TypeError:", *shapes, *refused, "        raise", *refusal]
    return lines


def _needs_grad(op: Op) -> str:
    return " or ".join(f"{p.name}_r" for p in op.differentiable)


def _condition(op: Op, slot: str) -> str | None:
    """When a slot is saved: None for always (whenever there is a node)."""
    users = op.users(slot)
    return None if users == set(op.texts) else " or ".join(f"{name}_r" for name in sorted(users))


def _slot(op: Op, slot: str, in_place: bool) -> tuple[str, str]:
    """The expressions for a saved value and for its guard, ``(storage, version, tensor)`` or None."""
    name, _, attribute = slot.partition("__")
    first = op.params[0].name
    kind = next((p.kind for p in op.params if p.name == name), "result")
    if attribute:
        return _metadata(op, name, kind, attribute), "None"
    if kind == "result":
        if op.outputs:
            index = op.outputs.index(name)
            return f"out_a[{index}]", f"(outs[{index}]._st, outs[{index}]._st.version, None)"
        holder = first if in_place else "out"
        return f"{holder}._a", f"({holder}._st, {holder}._st.version, None)"
    if kind == "setting":
        return name, "None"
    if kind == "tensors":
        return f"{name}_a", "None"
    if in_place and name == first:
        return "original", "None"
    # what was saved before the write has the version of before the write
    version = f"version if {name}._st is {first}._st else {name}._st.version" if in_place else f"{name}._st.version"
    if kind == "tensor" and not next(p.optional for p in op.params if p.name == name):
        return f"{name}_a", f"({name}._st, {version}, {name})"
    is_tensor = f"{name}_r or isinstance({name}, Tensor)" if name in op.texts else f"isinstance({name}, Tensor)"
    return f"{name}._a if {is_tensor} else {name}", f"({name}._st, {version}, {name}) if {is_tensor} else None"


def _metadata(op: Op, name: str, kind: str, attribute: str) -> str:
    if kind == "result":
        return f"out_a[{op.outputs.index(name)}].{attribute}" if op.outputs else f"out_a.{attribute}"
    if kind == "tensors":
        return f"[a.{attribute} for a in {name}_a]"
    return f"asarray({name}_a).{attribute}" if kind == "operand" else f"{name}_a.{attribute}"


def _saved(op: Op, in_place: bool) -> tuple[str, str]:
    """The expressions for the tuples of saved values and of their guards."""
    values, guards = [], []
    for slot in op.slots:
        value, guard = _slot(op, slot, in_place)
        condition = _condition(op, slot)
        values.append(f"({value}) if {condition} else None" if condition else value)
        guards.append(f"({guard}) if {condition} else None" if condition else guard)
    return _tuple([f"({v})" for v in values]), _tuple([f"({g})" for g in guards])


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)},)" if items else "()"


def _edges(op: Op) -> str:
    if any(p.kind == "tensors" for p in op.differentiable):
        name = op.differentiable[0].name
        return f"tuple([gradient_edge_or_none(t) if t.requires_grad else None for t in {name}])"
    # the common case spelled out: an edge is (node, output number)
    return _tuple(
        [
            f"(({p.name}._node, {p.name}._nr) if {p.name}._node is not None else gradient_edge_or_none({p.name})) if {p.name}_r else None"
            for p in op.differentiable
        ]
    )


def _node(op: Op, meta: str, in_place: bool) -> list[str]:
    values, guards = _saved(op, in_place)
    lines = [
        "        node = Node()",
        "        node.on_fast_path = True",
        "        node.op = OP",
        "        node.seq = next_number()",
        "        node.next_edges = edges",
        f"        node.output_metas = {meta}",
    ]
    return [*lines, f"        node.saved = {values}", f"        node.guards = {guards}"]


def wrapper_source(op: Op, name: str, form: Form) -> list[str]:
    """Source of the function."""
    operator = form == "operator"
    lines = [f"def {name}({_signature(op)}):"]
    lines += [f"    {p.name} = spread({p.name}, OP, {p.name!r})" for p in op.params if p.spread]
    if op.view:
        rest = _tuple([p.name for p in op.params[1:]])
        lines += [
            f"    if {op.params[0].name}.__class__ in LAZY_VIEWS: return view_through(OP, {op.params[0].name}, {rest})"
        ]
    lines += _precision(op)
    for position, p in enumerate(op.params, 1):
        if p.kind != "setting":
            lines += _unwrap(op, p, position, operator and position == 2)
    lines += [f"    needed = S.grad and ({_needs_grad(op)})"] if op.texts else ["    needed = False"]
    if form == "in place":  # whose own check comes before the view is renewed
        lines = [
            line.replace(f"requires_grad_now({op.params[0].name})", f"{op.params[0].name}.requires_grad")
            for line in lines
        ]
        lines += [f"    inplace.check({op.params[0].name}, needed)"]
        if op.check_write is not None:
            lines += [f"    CHECK_WRITE({', '.join(p.name for p in op.params)})"]
    lines += _promotion(op) + _refusal(op, by_kernel=False) + _body_call(op, form == "in place")
    if form == "in place":
        return lines + _inplace_tail(op)
    if op.outputs or op.many:
        return lines + _many_tail(op)
    return lines + _single_tail(op)


def _precision(op: Op) -> list[str]:
    """Where there can be bfloat16: operands as the region of mixed precision wants them, and the body for these."""
    lines = ["    body = BODY", "    if S.reduced:", "        body = REDUCED_BODY"]
    if not op.tensors:
        return lines
    names = ", ".join(p.name for p in op.tensors)
    return [*lines, f"        if S.autocast is not None: {names}, = S.autocast.operands(OP, ({names},))"]


def _watched(op: Op, outs: str, noted: str) -> list[str]:
    """What the modes in force and the recorder do with a call. ``noted``: the recorder's method and its last argument."""
    method, made = noted.split()
    inputs = _tuple([f"*{p.name}" if p.kind == "tensors" else p.name for p in op.tensors])
    settings = _tuple([p.name for p in op.params if p.kind == "setting"])
    return [
        f"    if S.special: apply_modes(node, {outs})",
        f"    if S.recorder is not None: S.recorder.{method}(OP, node, {inputs}, {settings}, {made})",
    ]


def _single_tail(op: Op) -> list[str]:
    first = op.tensors[0].name if op.tensors else ""
    lines = [
        "    if out_a.__class__ is not ND: out_a = asarray(out_a)",
        *_order_in_memory(op),
        "    out = new(Tensor)",
        "    out._a = out_a",
    ]
    if op.view:
        lines += [f"    view_of(out, {first}, OP)"]
    else:  # attributes of the object itself are read faster than the defaults of its class
        lines += [
            "    storage = out._st = Storage()",
            "    storage.version = 0",
            "    out._view = None",
            "    out._rg = False",
        ]
    if op.texts:
        if op.may_be_integer:
            lines += ["    needed = needed and out_a.dtype.kind in 'fcV'"]
        lines += ["    if needed:", f"        edges = {_edges(op)}"]
        lines += _node(op, "((out_a.shape, out_a.dtype),)", in_place=False)
        lines += ["        out._node = node", "    else:", "        out._node = node = None"]
    else:
        lines += ["    out._node = node = None"]
    return [*lines, *_watched(op, "(out,)", "call (out,)" if op.view else "made out"), "    return out"]


def _order_in_memory(op: Op) -> list[str]:
    """Lay a result out as PyTorch does: element-wise ones as their operands lie, others as was recorded."""
    order = MEMORY_ORDER.get(op.name, "operand" if op.elementwise and not op.view else None)
    many = bool(op.outputs or op.many)
    if order == "rows":
        return (
            ["    out_a = [in_rows(a) for a in out_a]"]
            if many
            else ["    if not out_a.flags.c_contiguous: out_a = in_rows(out_a)"]
        )
    if order is None:
        return []
    if order == "image":
        images = ", ".join(f"{p.name}_a" for p in op.tensors if p.name in ("input", "weight") and not p.optional)
        laid = f"as_image_lies({'a' if many else 'out_a'}, ({images},))"
        return [f"    out_a = {f'[{laid} for a in out_a]' if many else laid}"]
    operands = [f"{p.name}_a" for p in op.tensors] if op.elementwise else [f"{op.tensors[0].name}_a"]
    first, given = operands[0], f"({', '.join(operands)},)"
    laid = f"[as_operands_lie(a, {given}) for a in out_a]" if many else f"as_operands_lie(out_a, {given})"
    return [f"    if {first}.__class__ is ND and not {first}.flags.c_contiguous: out_a = {laid}"]


def _many_tail(op: Op) -> list[str]:
    first = op.tensors[0].name
    lines = ["    out_a = [asarray(a) for a in out_a]", *_order_in_memory(op), "    outs = [Tensor(a) for a in out_a]"]
    if op.view:
        lines += [f"    for out in outs: view_of(out, {first}, OP)"]
    lines += ["    if needed:", f"        edges = {_edges(op)}"]
    lines += _node(op, "tuple([(a.shape, a.dtype) for a in out_a])", in_place=False)
    lines += [
        "        node.on_fast_path = False",
        "        for index, out in enumerate(outs):",
        "            if out._a.dtype.kind in 'fcV': out._node, out._nr = node, index",
        "    else:",
        "        node = None",
    ]
    return [*lines, *_watched(op, "tuple(outs)", "call tuple(outs)"), "    return result_tuple(OP, outs)"]


def _inplace_tail(op: Op) -> list[str]:
    first = op.params[0].name
    read = op.tensors[1:] if op.overlap != "any" else ()
    check = "refuse_overlap" if op.overlap == "full" else "refuse_any_overlap"
    lines = [f"    inplace.{check}({first}, {p.name})" for p in read]
    if first in op.slots:
        lines += [f"    original = {first}_a.copy() if needed else None"]
    lines += ["    if needed:", f"        edges = {_edges(op)}"]
    others = _tuple([p.name for p in op.tensors[1:]])
    if op.tensors[1:]:
        lines += [f"    if S.levels and S.recorder is not None: refuse_unbatched_write(OP, {first}, {others})"]
    lines += [f"    before = S.recorder.before_inplace({first}, {others}) if S.recorder is not None else None"]
    lines += [f"    version = {first}._st.version"]
    lines += [f"    inplace.assign({first}, asarray(out_a), OP)"]
    lines += ["    if needed:"]
    lines += _node(op, f"(({first}._a.shape, {first}._a.dtype),)", in_place=True)
    lines += [f"        inplace.rebase({first}, node)", "    else:", "        node = None"]
    settings = [p.name for p in op.params if p.kind == "setting"]
    record = f"S.recorder.inplace(OP, node, before, {first}, {_tuple(settings)})"
    return [
        *lines,
        "    if S.special: apply_modes(node, ())",
        f"    if before is not None: {record}",
        f"    return {first}",
    ]
