"""A layer whose sizes are parameters of a class: the call that made this object of the class gave the number that does not fit."""

from __future__ import annotations

import ast

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.layers import first_size, maker_of, running
from gradflow.engine.diagnosis.findings.sizes_written import number, size_written
from gradflow.engine.diagnosis.findings.words import code, finding, joined, line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.recording.entries import TensorEntry
from gradflow.engine.recording.places import PlaceEntry
from gradflow.engine.registry import REGISTRY
from gradflow.engine.tensor import Tensor


@finds(errors.CONV_CHANNELS, errors.MM_SHAPE)
def _one_of_several(case: Case) -> Finding | None:
    """``self.dec1 = DoubleConv(ch * 2, ch)`` of several, with ``nn.Conv2d(in_ch, out_ch, 3)`` in the class."""
    outer, call = running(case)
    given = Flow(case).tensor(call.args[0]) if call is not None and call.args else None
    layer, wanted, size = _failing(case, outer)
    if layer is None or given is None or given._entry is None:
        return None
    images = len(layer.weight.shape) > 2
    if given.dim() < 2 or int(given.shape[1 if images else -1]) != size:
        return None  # what the object makes of its input does not fit
    made = maker_of(case, layer)
    first = first_size(made) if made is not None else None
    init = case.enclosing(made, ast.FunctionDef) if made is not None else None
    owner = case.parents.get(init) if init is not None else None
    if made is None or init is None or not isinstance(owner, ast.ClassDef) or not isinstance(first, ast.Name):
        return None
    sites = [one for one in case.nodes(ast.Call) if called(one) == owner.name]
    site = _site(case, layer, owner.name)
    argument = _argument(site, init, first.id) if site is not None else None
    if site is None or argument is None or len(sites) < 2:
        return None
    text = _written(case, argument, size)
    whole = text_with(case, site, argument, text)
    statement = case.statement(site)
    named = statement if isinstance(statement, ast.Assign) and statement.value is site else site
    of, of_zh = ("channels", f"{wanted} 个通道") if images else ("numbers for each sample", f"每个样本 {wanted} 个数")
    source, source_zh = _from(case, given._entry, size, 1 if images else -1)
    return finding(
        case,
        f"{code(case, named)} on line {line(site)} is built for {wanted} {of}, its `{first.id}`, and {source}. The class `{owner.name}` is used {len(sites)} times, so"
        f" leave it as it is, and make this one for {size}: `{whole}`.",
        f"第 {line(site)} 行的 {code(case, named)} 是按{' ' * images}{of_zh}（它的 `{first.id}`）创建的，而{source_zh}。类 `{owner.name}` 用了 {len(sites)} 次，所以不要改它，请把这一个按"
        f" {size} 创建：`{whole}`。",
        write(case, argument, text, site),
        site,
    )


def _failing(case: Case, outer: Layer | None) -> tuple[Layer | None, int, int]:
    """The layer that did not fit, the size that it takes, and the one that it is given."""
    details = case.details
    if isinstance(details.get("weight"), list | tuple):
        weight, given = list(details["weight"]), details.get("given")  # type: ignore[call-overload]
        wanted = weight[1]
    else:
        first, second = details.get("mat1"), details.get("mat2")
        if (
            not isinstance(first, list | tuple)
            or not isinstance(second, list | tuple)
            or len(first) != 2 != len(second) + 1
        ):
            return None, 0, 0
        weight, given, wanted = [second[1], second[0]], first[1], second[0]
    found = [one for one in (outer.modules() if outer is not None else ()) if _shape(one) == weight]
    return (found[0], int(wanted), int(given)) if len(found) == 1 and isinstance(given, int) else (None, 0, 0)


def _shape(layer: Layer) -> list[int]:
    weight = getattr(layer, "weight", None)
    return [int(one) for one in weight.shape] if isinstance(weight, Tensor) else []


def _site(case: Case, layer: Layer, name: str) -> ast.Call | None:
    """The call that made the object of a class that a layer belongs to."""
    entry = layer.weight._entry
    place: PlaceEntry | None = entry.first.within if entry is not None else None
    while place is not None:
        made = case.at(ast.Call, place.position)
        if made is not None and called(made) == name:
            return made
        place = place.parent
    return None


def _argument(site: ast.Call, init: ast.FunctionDef, name: str) -> ast.expr | None:
    """What a call gives for a parameter of the constructor."""
    if any(isinstance(one, ast.Starred) for one in site.args):
        return None
    keyword = next((one.value for one in site.keywords if one.arg == name), None)
    names = [one.arg for one in (*init.args.posonlyargs, *init.args.args)][1:]
    at = names.index(name) if name in names else len(site.args)
    return keyword or (site.args[at] if at < len(site.args) else None)


def _written(case: Case, argument: ast.expr, size: int) -> str:
    """The size in the form of an argument: ``ch * 3`` for ``ch * 2``."""
    base = (
        argument.left if isinstance(argument, ast.BinOp) and isinstance(argument.op, ast.Mult | ast.Add) else argument
    )
    known = number(case, base) if isinstance(base, ast.Name | ast.Attribute) else None
    if known and size % known == 0:
        return case.text(base) if size == known else f"{case.text(base)} * {size // known}"
    return size_written(case, argument, size)


def _from(case: Case, entry: TensorEntry, size: int, dim: int) -> tuple[str, str]:
    """What gives so many; of what was put together, its parts."""
    first = entry.first
    node = first.node
    made = case.at(ast.Call, first.place)
    if node is not None and node.op is REGISTRY["cat"] and made is not None and made.args:
        parts = made.args[0].elts if isinstance(made.args[0], ast.List | ast.Tuple) else []
        sizes = [int(one.array.shape[dim]) for one in node.inputs]
        if len(parts) == len(sizes) and sum(sizes) == size:
            told = [f"{each} of {code(case, part)}" for each, part in zip(sizes, parts, strict=True)]
            told_zh = [f"{code(case, part)} 的 {each} 个" for each, part in zip(sizes, parts, strict=True)]
            return (
                f"{code(case, made)} on line {line(made)} gives it {size}: {joined(told, 'en')}",
                f"第 {line(made)} 行的 {code(case, made)} 给了它 {size} 个：{joined(told_zh, 'zh')}",
            )
    return f"it is given {size}", f"给它的有 {size} 个"
