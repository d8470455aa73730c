"""What a layer gives, which can be any number, as a parameter of a distribution that has to be positive; also where nothing is recorded."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.causes.births import born
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of
from gradflow.engine.tensor import Tensor

PLACES: Final = {"probs": 0, "covariance_matrix": 1, "scale_tril": 1, "scale": 1, "loc": 0, "concentration0": 1}
_OTHER_PLACES: Final = {
    **dict.fromkeys([("HalfNormal", "scale"), ("HalfCauchy", "scale"), ("Weibull", "scale"), ("Pareto", "scale")], 0),
    **dict.fromkeys([("Gamma", "rate"), ("InverseGamma", "rate"), ("Weibull", "concentration")], 1),
    **dict.fromkeys([("VonMises", "concentration"), ("FisherSnedecor", "df2"), ("Pareto", "alpha")], 1),
    ("StudentT", "scale"): 2,
}
POSITIVE: Final = frozenset({"scale", "rate", "df", "concentration", "concentration1", "concentration0"})
_CUTTING: Final = frozenset({"chunk", "split", "unbind", "tensor_split"})
_RAW: Final = re.compile(r"(Lazy)?(Linear|Bilinear|Conv[123]d|ConvTranspose[123]d)")


def not_positive(case: Case) -> tuple[ast.Call, str, ast.expr, Tensor] | None:
    """The call of a distribution, and the parameter of it that is not greater than 0: its name, what was given for it, and the tensor."""
    call, told = case.find(ast.Call), str(case.details.get("message", ""))
    named = re.search(r"Expected parameter (\w+) .*constraint GreaterThan\(lower_bound=0", told, re.DOTALL)
    if call is None or named is None or named[1] not in POSITIVE:
        return None
    given = parameter_given(call, named[1])
    held = Flow(case).tensor(given) if given is not None else None
    return (call, named[1], given, held) if given is not None and held is not None else None


@finds(errors.MODULE_ARGUMENT)
def _raw_scale(case: Case) -> Finding | None:
    """``std = self.std_head(h)`` in ``forward``, and ``Normal(mu, std)`` somewhere else."""
    found = not_positive(case)
    made = born(case, found[2]) if found is not None else None
    layer = raw_layer(case, made)
    if found is None or not isinstance(made, ast.Call) or layer is None or not _has_own_place(case, made):
        return None
    call, name, given, held = found
    whole = case.value(made)
    if not isinstance(whole, Tensor) or whole.numel() != held.numel():
        return None  # a part of it is another parameter
    names = [case.text(given), *_targets(case, made)]
    if any("log" in one.lower() or "var" in one.lower() for one in names):
        return None
    torch, imports = case.with_torch()
    text = positive(case, made, name, [case.text(made.func)]).format(torch=torch)
    least = f"{float(held._a.min()):.4g}"
    return finding(
        case,
        f"{code(case, given)} is what {code(case, made)} on line {line(made)} gives, the output of `{layer}` as it is, which can be any number,"
        f" here {least}, and the `{name}` of {code(case, call.func)} has to be greater than 0. Make it positive there: `{text}`.",
        f"{code(case, given)} 是第 {line(made)} 行的 {code(case, made)} 给出的，也就是 `{layer}` 的原始输出，可以是任何数，这里是 {least}，"
        f"而 {code(case, call.func)} 的 `{name}` 必须大于 0。请在那里变为正数：`{text}`。",
        case.fix([*case.replace(made, text), *imports], made),
        made,
    )


def positive(case: Case, made: ast.expr, parameter: str, names: list[str]) -> str:
    """What makes a positive number of any, as the names say what it is: of a logarithm, of that of a variance, or of nothing known."""
    told, shown = " ".join(names).lower(), case.operand(made)
    if parameter == "scale" and re.search(r"log_?(var|sigma_?2|sigma_?sq)", told):
        return f"(0.5 * {' '.join(shown.split())}).exp()"
    if re.search(r"log_?(std|sigma|scale|sd\b|conc|rate|alpha|beta|df)", told):
        return f"{' '.join(shown.split())}.exp()"
    return f"{{torch}}.nn.functional.softplus({' '.join(case.text(made).split())}) + 1e-4"


def parameter_given(call: ast.Call, parameter: str) -> ast.expr | None:
    """What a distribution is given for one of its parameters."""
    place = _OTHER_PLACES.get((called(call), parameter), PLACES.get(parameter, 0))
    return argument_of(call, place, parameter)


def is_cut_from_layer(case: Case, given: ast.expr) -> bool:
    """Whether something is a part of what a layer gave as it is: ``mu, std = net(x).chunk(2, -1)``."""
    made = definition(case, given)
    while isinstance(made, ast.Subscript) or (isinstance(made, ast.Call) and called(made) in _CUTTING):
        func = made.func if isinstance(made, ast.Call) else None
        inner = (
            made.value if isinstance(made, ast.Subscript) else func.value if isinstance(func, ast.Attribute) else None
        )
        if inner is None:
            return False
        made = definition(case, inner)
    return raw_layer(case, made) is not None


def raw_layer(case: Case, made: ast.expr | None) -> str | None:
    """The layer, by its name, whose output a call gives, where nothing bounds that; None of all others."""
    if not isinstance(made, ast.Call) or not isinstance(made.func, ast.Name | ast.Attribute):
        return None
    maker = definition(case, made.func)
    if isinstance(maker, ast.Call) and called(maker) == "Sequential" and maker.args:
        maker = maker.args[-1]
    name = called(maker) if isinstance(maker, ast.Call) else ""
    return name if _RAW.fullmatch(name) else None


def _targets(case: Case, made: ast.Call) -> list[str]:
    outer = case.parents.get(made)
    return [case.text(one) for one in outer.targets] if isinstance(outer, ast.Assign) else []


def _has_own_place(case: Case, made: ast.Call) -> bool:
    """Whether a call's value has a name of its own, or is given back as it is, alone or beside others."""
    outer = case.parents.get(made)
    if isinstance(outer, ast.Tuple):
        outer = case.parents.get(outer)
        return isinstance(outer, ast.Return | ast.Assign)
    match outer:
        case ast.Return():
            return True
        case ast.Assign(targets=[ast.Name() | ast.Attribute()]):
            return True
    return False
