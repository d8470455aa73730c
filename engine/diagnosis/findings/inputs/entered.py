"""float64 that NumPy gave the data of a loader: where the numbers are kept, and are best converted once."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import UNKNOWN, Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, kind_source
from gradflow.engine.diagnosis.findings.inputs.dtypes import odd_operand
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor

Kept = tuple[ast.expr, str]
"""What the program keeps of float64, and what converts it."""
_DEEP: Final = 6


@finds(errors.MM_DTYPE, errors.MV_DTYPE, errors.AFFINE_DTYPE, errors.CONV_BIAS_DTYPE, errors.MODULE_ARGUMENT)
def _from_loader(case: Case) -> Finding | None:
    """A batch of doubles: ``self.z = series / series.std()`` in the class of the data."""
    found = odd_operand(case)
    if found is None or str(found[2].dtype) != "torch.float64":
        return None
    node, part, _ = found
    behind = list(Flow(case).behind(part))
    calls = [one for one in behind if isinstance(one, ast.Call)]
    if not any(called(one) == "DataLoader" for one in calls):
        return None
    kept = list(dict.fromkeys(_kept(case, calls, behind)))
    edits = [edit for value, ending in kept for edit in case.followed(value, ending)]
    if not kept or len(edits) < len(kept) or not any(_is_of_numpy(case, value) for value, _ in kept):
        return None
    layer = case.value(node.func) if isinstance(node, ast.Call) else None
    owner = (
        f"the weights of {code(case, node.func)} are"
        if isinstance(layer, Layer) and isinstance(node, ast.Call)
        else "the other side is"
    )
    owner_zh = (
        f" {code(case, node.func)} 的权重是" if isinstance(layer, Layer) and isinstance(node, ast.Call) else "另一边是"
    )
    first = kept[0][0]
    places = [f"{code(case, value)} on line {line(value)}" for value, _ in kept]
    places_zh = [f"第 {line(value)} 行的 {code(case, value)}" for value, _ in kept]
    texts = [f"`{case.operand(value)}{ending}`" for value, ending in kept]
    verb = "holds" if len(kept) == 1 else "hold"
    return finding(
        case,
        f"{code(case, part)} is `torch.float64`, and {owner} `torch.float32`; a product does not convert. {joined(places, 'en')} {verb} NumPy's numbers,"
        f" which are float64, and the loader leaves them so. Convert once, there: {joined(texts, 'en')}.",
        f"{code(case, part)} 是 `torch.float64`，而{owner_zh} `torch.float32`；乘积不会自动转换类型。{joined(places_zh, 'zh')} 是 NumPy 的数，即 float64，加载器不会改变类型。"
        f"请在那里转换一次：{joined(texts, 'zh')}。",
        [apply(case, edits, joined(texts, "en"), joined(texts, "zh"))],
        first,
    )


def _is_of_numpy(case: Case, value: ast.expr) -> bool:
    """Whether an array is behind what is kept."""
    packages = {case.module_alias("numpy"), case.module_alias("pandas")} - {None}
    names = [one for one in Flow(case).behind(value) if isinstance(one, ast.Name)]
    return any(one.id in packages or isinstance(case.value(one), np.ndarray) for one in names)


def _kept(case: Case, calls: Sequence[ast.Call], behind: Sequence[ast.expr]) -> Iterator[Kept]:
    """What of the data is float64: in the class that gives the samples, in a set of tensors, or in the arrays themselves."""
    flow = Flow(case)
    owners = {one.name: one for one in case.nodes(ast.ClassDef)}
    for call in calls:
        owner = owners.get(called(call))
        if owner is not None and "__getitem__" in flow.methods(owner.name):
            yield from _of_class(case, owner, flow.methods(owner.name)["__getitem__"])
            return
    for call in calls:
        if called(call) == "TensorDataset":
            yield from _of_tensors(case, call)
            return
    for one in behind:
        held = case.value(one) if isinstance(one, ast.Name) else UNKNOWN
        made = definition(case, one) if isinstance(held, np.ndarray) and held.dtype == np.float64 else one
        if made is not one:
            yield made, _ending(case, "array")


def _of_tensors(case: Case, call: ast.Call) -> Iterator[Kept]:
    for given in call.args:
        made = definition(case, given)
        tensor = Flow(case).tensor(made)
        if tensor is not None and str(tensor.dtype) == "torch.float64":
            yield (_whole(case, made) if isinstance(made, ast.Subscript) else made), ".float()"


def _whole(case: Case, part: ast.Subscript) -> ast.expr:
    """The call that made a tensor of NumPy's numbers, of which one part is for training and another for tests."""
    made = kind_source(case, part)
    plain = isinstance(made, ast.Call) and called(made) in ("from_numpy", "tensor", "as_tensor") and len(made.args) == 1
    return made if plain and isinstance(made, ast.Call) and not made.keywords else part


def _of_class(case: Case, owner: ast.ClassDef, getter: ast.FunctionDef) -> Iterator[Kept]:
    """The attributes that a sample is taken from; without such the parts of the sample."""
    names = dict.fromkeys(
        one.attr for one in ast.walk(getter) if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "self"
    )
    found = False
    for name in names:
        stored = _stored(owner, name)
        kind = _kind(case, owner.name, name, stored) if stored is not None else ""
        if stored is not None and kind:
            found = True
            yield stored, _ending(case, kind)
    for result in [] if found else returned(getter):
        parts = (
            result.elts
            if isinstance(result, ast.Tuple | ast.List)
            else result.values
            if isinstance(result, ast.Dict)
            else [result]
        )
        for part in parts:
            tensor = case.value(part)
            if isinstance(tensor, Tensor) and str(tensor.dtype) == "torch.float64":
                yield part, ".float()"


def _stored(owner: ast.ClassDef, name: str) -> ast.expr | None:
    """The last value that the class gives an attribute."""
    found = None
    for one in ast.walk(owner):
        for target in one.targets if isinstance(one, ast.Assign) else ():
            if not isinstance(one, ast.Assign) or isinstance(one.value, ast.Constant):
                continue
            if _is_own(target, name):
                found = one.value
            elif isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
                pairs = zip(target.elts, one.value.elts, strict=False)
                found = next((value for part, value in pairs if _is_own(part, name)), found)
    return found


def _is_own(target: ast.expr, name: str) -> bool:
    return isinstance(target, ast.Attribute) and target.attr == name and ast.unparse(target.value) == "self"


def _kind(case: Case, owner: str, name: str, stored: ast.expr) -> str:
    """Whether an attribute is an array or a tensor of float64: of an object at hand, else by what it is computed from."""
    for held in list(case.values.values()):
        for _ in range(_DEEP):
            if type(held).__name__ == owner:
                return _named(vars(held).get(name))
            held = vars(held).get("dataset") if hasattr(held, "__dict__") else None
    values = [case.value(one) for one in Flow(case).behind(stored)]
    kinds = [_named(value) for value in values if isinstance(value, np.ndarray | Tensor) and value.ndim]
    return kinds[0] if kinds else ""


def _named(value: object) -> str:
    if isinstance(value, np.ndarray):
        return "array" if value.dtype == np.float64 else ""
    return "tensor" if isinstance(value, Tensor) and str(value.dtype) == "torch.float64" else ""


def _ending(case: Case, kind: str) -> str:
    """What converts an array or a tensor to float32."""
    if kind == "tensor":
        return ".float()"
    numpy = case.module_alias("numpy")
    return f".astype({numpy}.float32)" if numpy else '.astype("float32")'
