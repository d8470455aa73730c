"""Activations and dropout as modules."""

from __future__ import annotations

from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.nn.abstract import check_probability
from gradflow.engine.namespace.nn.functional_modules import layer, settings, with_inplace
from gradflow.engine.namespace.nn.module import Module

_IN = {"inplace": False}
_DROP: dict[str, Any] = {"p": 0.5, "inplace": False}


def _positional(*names: str) -> Any:
    return lambda module: ", ".join(str(getattr(module, name)) for name in names)


def _threshold(module: Any) -> str:
    return f"threshold={module.threshold}, value={module.value}" + (", inplace=True" if module.inplace else "")


def _gelu(module: Any) -> str:
    return f"approximate={module.approximate!r}"


def _inplace_word(module: Any) -> str:
    return "inplace=True" if module.inplace else ""


def _in_order(module: Any) -> None:
    if not module.max_val > module.min_val:
        raise errors.MODULE_ASSERTION(
            message=f"max_val ({module.max_val}) must be greater than min_val ({module.min_val})"
        )


CLASSES: tuple[type[Module], ...] = (
    layer("ReLU", "relu", _IN, _inplace_word),
    layer("ReLU6", "relu6", _IN, _inplace_word, of_torch="hardtanh"),
    layer("Sigmoid", "sigmoid", {}, of_torch="sigmoid"),
    layer("Tanh", "tanh", {}, of_torch="tanh"),
    layer("GELU", "gelu", {"approximate": "none"}, _gelu),
    layer("SiLU", "silu", _IN, _inplace_word),
    layer("Mish", "mish", _IN, _inplace_word),
    layer("SELU", "selu", _IN, _inplace_word),
    layer("Hardsigmoid", "hardsigmoid", _IN),
    layer("Hardswish", "hardswish", _IN),
    layer("LeakyReLU", "leaky_relu", {"negative_slope": 0.01, **_IN}, with_inplace("negative_slope")),
    layer("ELU", "elu", {"alpha": 1.0, **_IN}, with_inplace("alpha")),
    layer("CELU", "celu", {"alpha": 1.0, **_IN}, with_inplace("alpha")),
    layer(
        "Hardtanh",
        "hardtanh",
        {"min_val": -1.0, "max_val": 1.0, **_IN},
        with_inplace("min_val", "max_val"),
        settle=lambda module: _in_order(module),
    ),
    layer("Threshold", "threshold", {"threshold": ..., "value": ..., **_IN}, _threshold),
    layer("RReLU", "rrelu", {"lower": 1.0 / 8, "upper": 1.0 / 3, **_IN}, with_inplace("lower", "upper"), training=True),
    layer("Softplus", "softplus", {"beta": 1.0, "threshold": 20.0}, settings("beta", "threshold")),
    layer("Hardshrink", "hardshrink", {"lambd": 0.5}, _positional("lambd")),
    layer("Softshrink", "softshrink", {"lambd": 0.5}, _positional("lambd")),
    layer("Tanhshrink", "tanhshrink", {}),
    layer("Softsign", "softsign", {}),
    layer("LogSigmoid", "logsigmoid", {}),
    layer("GLU", "glu", {"dim": -1}, settings("dim")),
    layer("Softmax", "softmax", {"dim": None}, settings("dim")),
    layer("LogSoftmax", "log_softmax", {"dim": None}, settings("dim")),
    layer("Softmin", "softmin", {"dim": None}, settings("dim")),
)


def _dropout(name: str, function: str) -> type[Module]:
    return layer(
        name,
        function,
        _DROP,
        settings("p", "inplace"),
        training=True,
        settle=lambda module: check_probability(module.p),
    )


Dropout = _dropout("Dropout", "dropout")

DROPOUTS: tuple[type[Module], ...] = (
    Dropout,
    _dropout("Dropout1d", "dropout1d"),
    _dropout("Dropout2d", "dropout2d"),
    _dropout("Dropout3d", "dropout3d"),
    _dropout("AlphaDropout", "alpha_dropout"),
    _dropout("FeatureAlphaDropout", "feature_alpha_dropout"),
)
