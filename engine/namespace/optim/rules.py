r"""How each optimizer changes one element, in LaTeX with the letters of PyTorch's pages, specialised to its settings.

``\theta`` is the element, ``g`` its gradient, ``t`` the number of the step from 1. A term whose factor is 0 is left out.
Source: https://docs.pytorch.org/docs/stable/optim.html
"""

from __future__ import annotations

from collections.abc import Callable

from gradflow.engine.namespace.optim.adafactor_muon import Adafactor, Muon
from gradflow.engine.namespace.optim.adam import Adadelta, Adagrad, Adam, RMSprop, SparseAdam
from gradflow.engine.namespace.optim.adam_variants import Adamax, NAdam, RAdam
from gradflow.engine.namespace.optim.lbfgs import LBFGS
from gradflow.engine.namespace.optim.optimizer import Group, Optimizer
from gradflow.engine.namespace.optim.rprop_asgd import ASGD, Rprop
from gradflow.engine.namespace.optim.sgd import SGD
from gradflow.engine.tensor import Tensor

Rule = Callable[[Group], list[str]]

SYMBOLS = {
    "lr": r"\gamma",
    "weight_decay": r"\lambda",
    "momentum": r"\mu",
    "dampening": r"\tau",
    "betas": r"\beta_1, \beta_2",
    "eps": r"\epsilon",
    "alpha": r"\alpha",
    "rho": r"\rho",
    "lr_decay": r"\zeta",
    "momentum_decay": r"\psi",
    "lambd": r"\lambda",
    "etas": r"\eta^{-}, \eta^{+}",
    "step_sizes": r"\Gamma_{\min}, \Gamma_{\max}",
    "beta2_decay": r"\tau",
    "d": "d",
    "step": "t",
    "momentum_buffer": "b",
    "exp_avg": "m",
    "exp_avg_sq": "v",
    "max_exp_avg_sq": r"\hat{v}",
    "square_avg": "v",
    "grad_avg": "a",
    "acc_delta": "u",
    "sum": "s",
    "exp_inf": "u",
    "mu_product": "P",
    "prev": r"g_{t-1}",
    "step_size": r"\eta",
    "eta": r"\eta",
    "mu": r"\mu",
    "ax": "a",
    "variance": "v",
    "row_var": "r",
    "col_var": "c",
}
"""The letters of settings and buffers."""

_MINE = r"\theta \leftarrow \theta - "
_MEAN = r"m \leftarrow \beta_1 m + (1 - \beta_1)\, g"
_SQUARE = r"v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2"
_FIRST, _SECOND = r"1 - \beta_1^t", r"1 - \beta_2^t"


def _gradient(group: Group, *, decoupled: bool = False) -> list[str]:
    """What becomes of the gradient and of the element before the rule proper."""
    lines = [r"g \leftarrow -g"] if group.get("maximize") else []
    if group.get("weight_decay"):
        lines.append(_MINE + r"\gamma \lambda\, \theta" if decoupled else r"g \leftarrow g + \lambda\, \theta")
    return lines


def _sgd(group: Group) -> list[str]:
    lines, step = _gradient(group), "g"
    if group["momentum"]:
        new = r"(1 - \tau)\, g" if group["dampening"] else "g"
        lines.append(rf"b \leftarrow \mu\, b + {new}")
        step = r"(g + \mu\, b)" if group["nesterov"] else "b"
    return [*lines, _MINE + rf"\gamma\, {step}"]


def _adam(group: Group) -> list[str]:
    lines = [*_gradient(group, decoupled=group.get("decoupled_weight_decay", False)), _MEAN, _SQUARE]
    square = "v"
    if group.get("amsgrad"):
        square = r"\hat{v}"
        lines.append(r"\hat{v} \leftarrow \max(\hat{v}, v)")
    return [*lines, _MINE + rf"\gamma\, \frac{{m / ({_FIRST})}}{{\sqrt{{{square} / ({_SECOND})}} + \epsilon}}"]


def _adamax(group: Group) -> list[str]:
    largest = r"u \leftarrow \max(\beta_2 u, |g| + \epsilon)"
    return [*_gradient(group), _MEAN, largest, _MINE + rf"\frac{{\gamma}}{{{_FIRST}}} \frac{{m}}{{u}}"]


def _nadam(group: Group) -> list[str]:
    return [
        *_gradient(group, decoupled=group["decoupled_weight_decay"]),
        r"\mu_t = \beta_1 \left(1 - \tfrac{1}{2}\, 0.96^{t \psi}\right)",
        r"P \leftarrow P \mu_t",
        _MEAN,
        _SQUARE,
        _MINE
        + r"\gamma\, \frac{\frac{1 - \mu_t}{1 - P}\, g + \frac{\mu_{t+1}}{1 - P \mu_{t+1}}\, m}"
        + rf"{{\sqrt{{v / ({_SECOND})}} + \epsilon}}",
    ]


def _radam(group: Group) -> list[str]:
    return [
        *_gradient(group, decoupled=group["decoupled_weight_decay"]),
        _MEAN,
        _SQUARE,
        rf"\rho_\infty = \frac{{2}}{{1 - \beta_2}} - 1, \quad \rho_t = \rho_\infty - \frac{{2 t \beta_2^t}}{{{_SECOND}}}",
        r"r_t = \sqrt{\frac{(\rho_t - 4)(\rho_t - 2)\, \rho_\infty}{(\rho_\infty - 4)(\rho_\infty - 2)\, \rho_t}}",
        _MINE
        + rf"\gamma\, \frac{{m}}{{{_FIRST}}} \cdot \begin{{cases}} r_t \sqrt{{{_SECOND}}} / (\sqrt{{v}} + \epsilon)"
        + r" & \rho_t > 5 \\ 1 & \text{otherwise} \end{cases}",
    ]


def _rmsprop(group: Group) -> list[str]:
    lines = [*_gradient(group), r"v \leftarrow \alpha v + (1 - \alpha)\, g^2"]
    under = r"\sqrt{v} + \epsilon"
    if group["centered"]:
        lines.append(r"a \leftarrow \alpha a + (1 - \alpha)\, g")
        under = r"\sqrt{v - a^2} + \epsilon"
    step = rf"\frac{{g}}{{{under}}}"
    if group["momentum"] > 0:
        lines.append(rf"b \leftarrow \mu\, b + {step}")
        step = "b"
    return [*lines, _MINE + rf"\gamma\, {step}"]


def _adagrad(group: Group) -> list[str]:
    rate = r"\frac{\gamma}{1 + (t - 1) \zeta}" if group["lr_decay"] else r"\gamma"
    return [
        *_gradient(group),
        r"s \leftarrow s + g^2",
        _MINE + rf"{rate}\, \frac{{g}}{{\sqrt{{s}} + \epsilon}}",
    ]


def _adadelta(group: Group) -> list[str]:
    return [
        *_gradient(group),
        r"v \leftarrow \rho v + (1 - \rho)\, g^2",
        r"\Delta = \frac{\sqrt{u + \epsilon}}{\sqrt{v + \epsilon}}\, g",
        r"u \leftarrow \rho u + (1 - \rho)\, \Delta^2",
        _MINE + r"\gamma\, \Delta",
    ]


def _rprop(group: Group) -> list[str]:
    return [
        *_gradient(group),
        r"\eta \leftarrow \begin{cases} \min(\eta\, \eta^{+}, \Gamma_{\max}) & g\, g_{t-1} > 0 \\"
        r" \max(\eta\, \eta^{-}, \Gamma_{\min}) & g\, g_{t-1} < 0 \\ \eta & \text{otherwise} \end{cases}",
        r"g \leftarrow 0 \quad \text{where } g\, g_{t-1} < 0",
        _MINE + r"\eta\, \operatorname{sign}(g)",
    ]


def _asgd(group: Group) -> list[str]:
    shrink = [r"\theta \leftarrow (1 - \lambda \eta)\, \theta"] if group["lambd"] else []
    decay = [r"g \leftarrow g + w\, \theta"] if group["weight_decay"] else []
    turned = [r"g \leftarrow -g"] if group["maximize"] else []
    return [*turned, *decay, *shrink, _MINE + r"\eta\, g", r"a \leftarrow a + \mu\, (\theta - a)"]


def _adafactor(group: Group) -> list[str]:
    return [
        *_gradient(group, decoupled=True),
        r"\alpha_t = \max(\epsilon_2, \operatorname{RMS}(\theta)) \min(\gamma, 1 / \sqrt{t})",
        r"v \leftarrow (1 - t^{\tau})\, v + t^{\tau} g^2",
        r"u = g / \sqrt{v}",
        _MINE + r"\alpha_t\, \frac{u}{\max(1, \operatorname{RMS}(u) / d)}",
    ]


def _muon(group: Group) -> list[str]:
    step = r"(1 - \mu)\, g + \mu\, b" if group["nesterov"] else "b"
    matched = group["adjust_lr_fn"] == "match_rms_adamw"
    ratio = r"0.2 \sqrt{\max(m, n)}" if matched else r"\sqrt{\max(1, m / n)}"
    return [
        r"b \leftarrow \mu\, b + (1 - \mu)\, g",
        rf"O = \operatorname{{NewtonSchulz}}({step})",
        *([_MINE + r"\gamma \lambda\, \theta"] if group["weight_decay"] else []),
        _MINE + rf"\gamma\, {ratio}\; O",
    ]


def _lbfgs(group: Group) -> list[str]:
    return [r"d = -H g", r"\theta \leftarrow \theta + \ell\, d"]


RULES: dict[type[Optimizer], Rule] = {
    SGD: _sgd,
    Adam: _adam,
    SparseAdam: _adam,
    Adamax: _adamax,
    NAdam: _nadam,
    RAdam: _radam,
    RMSprop: _rmsprop,
    Adagrad: _adagrad,
    Adadelta: _adadelta,
    Rprop: _rprop,
    ASGD: _asgd,
    Adafactor: _adafactor,
    Muon: _muon,
    LBFGS: _lbfgs,
}

_MACHINE = ("params", "foreach", "capturable", "differentiable", "fused", "decoupled_weight_decay")
"""Settings that change nothing of what is computed, or that the rule tells."""


def rule_of(optimizer: Optimizer, group: Group) -> list[str]:
    """The rule for one group of parameters, a line for each assignment."""
    for cls in type(optimizer).__mro__:
        if cls in RULES:
            return RULES[cls](group)
    return []


def settings_of(group: Group) -> dict[str, object]:
    """The settings of a group that its rule refers to: the learning rate, numbers but 0, and switches that are on."""
    found: dict[str, object] = {}
    for name, given in group.items():
        plain = given.item() if isinstance(given, Tensor) and given._a.size == 1 else given
        if isinstance(name, str) and name not in _MACHINE and plain is not None and (plain or name == "lr"):
            found[name] = plain
    return found
