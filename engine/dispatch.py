"""From a declaration to the function that programs call, generated once, when it is first needed.

The wrapper of an operation does, in this order and with nothing looked up by name at run time: arrays out of tensors,
promotion, the body, the result as a Tensor, the autograd node with the saved variables that the formulas name, and
the record for the trace.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from engine import autograd, inplace, operands
from engine.formula import CONJUGATE
from engine.registry import REGISTRY
from engine.state import STATE, sequence
from engine.tensor import Storage, Tensor, View

if TYPE_CHECKING:
    from engine.registry import Op, Param

_ENVIRONMENT: dict[str, Any] = {
    "Tensor": Tensor, "Storage": Storage, "View": View, "Node": autograd.Node, "S": STATE, "ND": np.ndarray,
    "asarray": np.asarray, "new": object.__new__, "is_traced": autograd.is_traced, "path": autograd.path, "number": operands.number,
    "tensor_only": operands.tensor_only, "sequence": operands.sequence, "promote": operands.promote,
    "promote_difference": operands.promote_difference, "promote_to_float": operands.promote_to_float,
    "promote_all": operands.promote_all, "to_float": operands.to_float, "spread": operands.spread,
    "broadcast_error": operands.broadcast_error, "next_number": sequence.__next__, "view_of": autograd.view_of, "refused": operands.refused,
    "NUMBER": (int, float, complex), "inplace": inplace, "result_tuple": operands.result_tuple, "constant": operands.is_constant,
}  # fmt: skip


# -- functions that are generated when they are first called -----------------------------------------------------------


Form = Literal["function", "in place", "operator"]


def wrapper(op: Op, form: Form) -> Callable[..., Any]:
    """The function of an operation, its form in place, or that for a binary operator.

    It writes its own code when it is first called.
    """
    name = f"{op.name}_" if form == "in place" else op.name
    space: dict[str, Any] = {}
    function = FunctionType(_unwritten.__code__, space, name)
    function.__qualname__ = name  # which Python's errors about arguments show
    space["write"] = lambda: _write(function, op, form)
    return function


def _unwritten(*args: Any, **kwargs: Any) -> Any:
    """The code that every generated function begins with. ``write`` is in the globals of each."""
    return write()(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821


def complete(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, its code written if it is one of those that have none yet."""
    if getattr(function, "__code__", None) is _unwritten.__code__:
        function.__globals__["write"]()
    return function


def _write(function: FunctionType, op: Op, form: Form) -> FunctionType:
    """Give a function its code, defaults and docstring."""
    space = function.__globals__
    space.clear()
    space.update(_ENVIRONMENT)
    space |= {"OP": op, "BODY": op.body} | {f"default_{p.name}": p.parameter.default for p in op.params}
    name, made = function.__name__, dict[str, Any]()
    exec(compile("\n".join(_wrapper(op, name, form)), f"<generated {name}>", "exec"), space, made)
    function.__code__, function.__doc__ = made[name].__code__, op.doc
    function.__defaults__, function.__kwdefaults__ = made[name].__defaults__, made[name].__kwdefaults__
    return function


def vjp(op: Op, *, of_complex: bool, of_tensors: bool) -> Callable[..., tuple[Any, ...]]:
    """The vector-Jacobian product of an operation: ``vjp(saved, edges, g, ...)``, one gradient for each edge."""
    if of_complex and CONJUGATE not in _calls(op):
        return op.vjp_tensors if of_tensors else op.vjp
    space: dict[str, Any] = {name: _callee(name, of_tensors) for name in _calls(op)}
    space[CONSTANTS] = _CONSTANTS
    exec(compile("\n".join(_vjp(op, of_complex, of_tensors)), f"<generated vjp of {op.name}>", "exec"), space)
    function: Callable[..., tuple[Any, ...]] = space["vjp"]
    return function


def _calls(op: Op) -> set[str]:
    return {name for formula in op.gradients.values() for name in formula.calls}


def _callee(name: str, of_tensors: bool) -> Callable[..., Any]:
    """An operation or a helper that a formula calls."""
    if name in REGISTRY:
        return REGISTRY[name].call if of_tensors else REGISTRY[name].body
    helper = REGISTRY.helpers[name]
    return helper.tensors if of_tensors else helper.arrays


# -- the wrapper -------------------------------------------------------------------------------------------------------


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
        lines += [f"        {n}_r = {n}._node is not None or {n}._rg if {n}._view is None else is_traced({n})"]
    convert = "number" if p.kind == "operand" else "tensor_only"
    if p.optional:
        lines += [f"    elif {n} is None:", f"        {n}_a = None"] + ([f"        {n}_r = False"] if wants else [])
    lines += ["    else:", f"        {n}_a = {convert}({n}, OP, {n!r}, {position})"]
    if operand_of_operator:  # Python then asks the other operand, and says which it cannot take
        lines.insert(-1, f"        if not isinstance({n}, NUMBER) and not hasattr({n}, 'dtype'): return NotImplemented")
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
        cast = "promote_difference" if op.name in ("sub", "rsub_scalar", "rsub_tensor") else "promote"
        cast = "promote_to_float" if op.promote == "float" else cast
        lines += [f"    if {same}:", f"        {', '.join(names)} = {cast}({', '.join(names)})"]
    if op.promote == "float":
        lines += [f"    if {n}.__class__ is not ND or {n}.dtype.kind not in 'fc': {n} = to_float({n})" for n in names]
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
    call = f"BODY({', '.join(arguments)})"
    refusal = _refusal(op, by_kernel=True, in_place=in_place)
    if not op.elementwise and not refusal:
        return [f"    out_a = {call}"]
    lines = ["    try:", f"        out_a = {call}"]
    if op.elementwise:
        tensors = ", ".join(f"{p.name}_a" for p in op.tensors)
        lines += ["    except ValueError as error:", f"        raise broadcast_error(error, ({tensors},)) from None"]
    if refusal:  # NumPy may have no function for such elements
        lines += ["    except TypeError:", *(f"    {line}" for line in refusal), "        raise", *refusal]
    return lines


def _needs_grad(op: Op) -> str:
    return " or ".join(f"{p.name}_r" for p in op.differentiable)


def _condition(op: Op, slot: str) -> str | None:
    """When a slot is saved: None for always (whenever there is a node)."""
    users = op.users(slot)
    if users == set(op.texts):
        return None
    return " or ".join(f"{name}_r" for name in sorted(users))


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
        return f"tuple([path(t) if t.requires_grad else None for t in {name}])"
    # the common case spelled out: an edge is (node, output number)
    return _tuple([
        f"(({p.name}._node, {p.name}._nr) if {p.name}._node is not None else path({p.name})) if {p.name}_r else None"
        for p in op.differentiable
    ])  # fmt: skip


def _node(op: Op, meta: str, in_place: bool) -> list[str]:
    values, guards = _saved(op, in_place)
    lines = [
        "        node = Node()",
        "        node.plain = True",
        "        node.op = OP",
        "        node.seq = next_number()",
        "        node.next = edges",
        f"        node.meta = {meta}",
    ]
    return [*lines, f"        node.saved = {values}", f"        node.guards = {guards}"]


def _wrapper(op: Op, name: str, form: Form) -> list[str]:
    """Source of the function."""
    operator = form == "operator"
    lines = [f"def {name}({_signature(op)}):"]
    lines += [f"    {p.name} = spread({p.name}, OP, {p.name!r})" for p in op.params if p.spread]
    for position, p in enumerate(op.params, 1):
        if p.kind != "setting":
            lines += _unwrap(op, p, position, operator and position == 2)
    lines += [f"    needed = S.grad and ({_needs_grad(op)})"] if op.texts else ["    needed = False"]
    if form == "in place":
        lines += [f"    inplace.check({op.params[0].name}, needed, OP)"]
    lines += _promotion(op) + _refusal(op, by_kernel=False) + _body_call(op, form == "in place")
    if form == "in place":
        return lines + _inplace_tail(op)
    if op.outputs or op.many:
        return lines + _many_tail(op)
    return lines + _single_tail(op)


def _record_call(op: Op, outs: str) -> str:
    inputs = [f"*{p.name}" if p.kind == "tensors" else p.name for p in op.tensors]
    settings = [p.name for p in op.params if p.kind == "setting"]
    return f"S.recorder.call(OP, node, {_tuple(inputs)}, {_tuple(settings)}, {outs})"


def _single_tail(op: Op) -> list[str]:
    first = op.tensors[0].name if op.tensors else ""
    lines = [
        "    if out_a.__class__ is not ND: out_a = asarray(out_a)",
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
            lines += ["    needed = needed and out_a.dtype.kind in 'fc'"]
        lines += ["    if needed:", f"        edges = {_edges(op)}"]
        lines += _node(op, "((out_a.shape, out_a.dtype),)", in_place=False)
        lines += ["        out._node = node", "    else:", "        out._node = node = None"]
    else:
        lines += ["    out._node = node = None"]
    return [*lines, f"    if S.recorder is not None: {_record_call(op, '(out,)')}", "    return out"]


def _many_tail(op: Op) -> list[str]:
    first = op.tensors[0].name
    lines = ["    out_a = [asarray(a) for a in out_a]", "    outs = [Tensor(a) for a in out_a]"]
    if op.view:
        lines += [f"    for out in outs: view_of(out, {first}, OP)"]
    lines += ["    if needed:", f"        edges = {_edges(op)}"]
    lines += _node(op, "tuple([(a.shape, a.dtype) for a in out_a])", in_place=False)
    lines += [
        "        node.plain = False",
        "        for index, out in enumerate(outs):",
        "            if out._a.dtype.kind in 'fc': out._node, out._nr = node, index",
        "    else:",
        "        node = None",
        f"    if S.recorder is not None: {_record_call(op, 'tuple(outs)')}",
        "    return result_tuple(OP, outs)",
    ]
    return lines


def _inplace_tail(op: Op) -> list[str]:
    first = op.params[0].name
    lines = [f"    inplace.refuse_overlap({first}, {p.name})" for p in op.tensors[1:]]
    if first in op.slots:
        lines += [f"    original = {first}_a.copy() if needed else None"]
    lines += ["    if needed:", f"        edges = {_edges(op)}"]
    lines += [f"    before = S.recorder.before_inplace({first}) if S.recorder is not None else None"]
    lines += [f"    version = {first}._st.version"]
    lines += [f"    inplace.assign({first}, asarray(out_a), OP)"]
    lines += ["    if needed:"]
    lines += _node(op, f"(({first}._a.shape, {first}._a.dtype),)", in_place=True)
    lines += [f"        inplace.rebase({first}, node)", "    else:", "        node = None"]
    inputs = [p.name for p in op.tensors]
    settings = [p.name for p in op.params if p.kind == "setting"]
    record = f"S.recorder.inplace(OP, node, before, {_tuple(inputs)}, {_tuple(settings)})"
    return [*lines, f"    if before is not None: {record}", f"    return {first}"]


# -- the vector-Jacobian product ---------------------------------------------------------------------------------------


def _vjp(op: Op, of_complex: bool, of_tensors: bool) -> list[str]:
    """Source of ``vjp(saved, edges, g, ...)`` -> one gradient for each differentiable parameter, None where not needed."""
    upstream = ["g", *(f"g_{name}" for name in op.outputs[1:])]
    lines = [f"def vjp(saved, edges, {'g' if op.many else ', '.join(upstream)}):"]
    if op.slots:
        lines += [f"    {', '.join(op.slots)}, = saved"]
    if any(p.kind == "tensors" for p in op.differentiable):
        return [*lines, f"    return {op.gradients[op.differentiable[0].name].code(of_complex)}"]
    parts = []
    rewritten = _Cheaper(op, of_tensors)
    for index, p in enumerate(op.differentiable):
        code = rewritten.code(op.gradients[p.name].code(of_complex))
        parts.append(f"({code}) if edges[{index}] is not None else None")
    return [*lines, f"    return {_tuple(parts)}"]


class _Constant(dict[np.dtype, np.ndarray]):
    """A number as a 0-d array of each dtype: NumPy takes twice as long over a Python number."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __missing__(self, dtype: np.dtype) -> np.ndarray:
        self[dtype] = array = np.array(self.value, dtype)
        array.flags.writeable = False
        return array


CONSTANTS: Final = "constants"
_CONSTANTS: Final = {value: _Constant(value) for value in (1, 2, 3, 0.5)}


class _Cheaper(ast.NodeTransformer):
    """Makes the code of a formula cheaper.

    A product with a setting that is 1 by default is spared: as in PyTorch, the gradient passes on as it is. Small
    constants that meet a single upstream gradient come as arrays of its dtype.
    """

    def __init__(self, op: Op, of_tensors: bool) -> None:
        self.names = {p.name for p in op.params if p.kind == "setting" and p.parameter.default == 1}
        self.arrays = {"g", "out", *(p.name for p in op.tensors)}
        self.constants = not of_tensors and not op.many and not op.outputs and op.elementwise

    def code(self, text: str) -> str:
        """The formula's code, rewritten."""
        return ast.unparse(self.visit(ast.parse(text, mode="eval").body))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        factor = node.right
        if isinstance(node.op, ast.Mult) and isinstance(factor, ast.Name) and factor.id in self.names:
            return ast.IfExp(ast.Compare(factor, [ast.Eq()], [ast.Constant(1)]), node.left, node)
        if self.constants and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
            node.left, node.right = self.constant(node.left, node.right), self.constant(node.right, node.left)
        return node

    def constant(self, node: ast.expr, other: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool) or node.value not in _CONSTANTS:
            return node
        if self.arrays.isdisjoint(part.id for part in ast.walk(other) if isinstance(part, ast.Name)):
            return node
        return ast.parse(f"{CONSTANTS}[{node.value!r}][g.dtype]", mode="eval").body
