"""The losses as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.functional.loss import reduction_of
from gradflow.engine.namespace.nn.functional_modules import layer
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.state import warn

_OLD = {"size_average": None, "reduce": None, "reduction": "mean"}
_BUFFERS = ("weight", "pos_weight")


def _settled(check: Callable[[Any], None] | None) -> Callable[[Any], None]:
    """The arguments of before turned into those of today, once."""

    def settle(module: Any) -> None:
        old = [vars(module).pop(name, None) for name in ("size_average", "reduce")]
        if any(value is not None for value in old):
            module.reduction = reduction_of(module.reduction, *old)
        module.size_average = module.reduce = None
        if check is not None:
            check(module)

    return settle


def _loss(name: str, function: str, check: Callable[[Any], None] | None = None, **own: Any) -> type[Module]:
    settle = _settled(check) if "size_average" in own else check
    return layer(name, function, own, settle=settle, buffers=tuple(b for b in _BUFFERS if b in own))


def _margin_power(module: Any) -> None:
    if module.p not in (1, 2):
        raise errors.MODULE_ARGUMENT(message="only p == 1 and p == 2 supported")
    if module.weight is not None and module.weight.dim() != 1:
        raise errors.MODULE_ARGUMENT(
            message=f"MultiMarginLoss: expected weight to be None or 1D tensor, got {module.weight.dim()}D instead"
        )


def _positive_margin(module: Any) -> None:
    if module.margin <= 0:
        name = type(module).__name__
        raise errors.MODULE_ARGUMENT(
            message=f"{name}: expected margin to be greater than 0, got {module.margin} instead"
        )


def _delta(module: Any) -> None:
    if not isinstance(module.delta, float | int):
        raise TypeError(f"delta must be a float or int, got: {type(module.delta)}")


def _distance(module: Any) -> None:
    _positive_margin(module)
    if module.distance_function is None:
        module.distance_function = PairwiseDistance()


_NLL: dict[str, Any] = {"weight": None, "size_average": None, "ignore_index": -100, "reduce": None, "reduction": "mean"}
PairwiseDistance = layer("PairwiseDistance", "pairwise_distance", {"p": 2.0, "eps": 1e-6, "keepdim": False})
NLLLoss = _loss("NLLLoss", "nll_loss", **_NLL)

_TABLE: tuple[tuple[str, str, Callable[[Any], None] | None, dict[str, Any]], ...] = (
    ("MSELoss", "mse_loss", None, _OLD),
    ("L1Loss", "l1_loss", None, _OLD),
    ("SmoothL1Loss", "smooth_l1_loss", None, {**_OLD, "beta": 1.0}),
    ("HuberLoss", "huber_loss", _delta, {"reduction": "mean", "delta": 1.0}),
    ("BCELoss", "binary_cross_entropy", None, {"weight": None, **_OLD}),
    ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", None, {"weight": None, **_OLD, "pos_weight": None}),
    ("CrossEntropyLoss", "cross_entropy", None, {**_NLL, "label_smoothing": 0.0}),
    ("KLDivLoss", "kl_div", None, {**_OLD, "log_target": False}),
    ("SoftMarginLoss", "soft_margin_loss", None, _OLD),
    ("HingeEmbeddingLoss", "hinge_embedding_loss", None, {"margin": 1.0, **_OLD}),
    ("MarginRankingLoss", "margin_ranking_loss", None, {"margin": 0.0, **_OLD}),
    ("CosineEmbeddingLoss", "cosine_embedding_loss", None, {"margin": 0.0, **_OLD}),
    (
        "TripletMarginLoss", "triplet_margin_loss", _positive_margin,
        {"margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False, **_OLD},
    ),
    (
        "TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss", _distance,
        {"*": None, "distance_function": None, "margin": 1.0, "swap": False, "reduction": "mean"},
    ),
    ("MultiMarginLoss", "multi_margin_loss", _margin_power, {"p": 1, "margin": 1.0, "weight": None, **_OLD}),
    ("MultiLabelMarginLoss", "multilabel_margin_loss", None, _OLD),
    ("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", None, {"weight": None, **_OLD}),
    (
        "PoissonNLLLoss", "poisson_nll_loss", None,
        {"log_input": True, "full": False, "size_average": None, "eps": 1e-8, "reduce": None, "reduction": "mean"},
    ),
    ("GaussianNLLLoss", "gaussian_nll_loss", None, {"*": None, "full": False, "eps": 1e-6, "reduction": "mean"}),
    ("CTCLoss", "ctc_loss", None, {"blank": 0, "reduction": "mean", "zero_infinity": False}),
)  # fmt: skip


def _nll_2d() -> type[Module]:
    """The loss of before for images."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see"
            " https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            "FutureWarning",
        )
        NLLLoss.__init__(self, *args, **kwargs)

    return type("NLLLoss2d", (NLLLoss,), {"__init__": __init__, "__doc__": NLLLoss.__doc__})


def _classes() -> tuple[type[Module], ...]:
    known = torch_nn_functional.functions()
    rest = tuple(_loss(name, function, check, **own) for name, function, check, own in _TABLE if function in known)
    return (NLLLoss, _nll_2d(), PairwiseDistance, *rest)


CLASSES: tuple[type[Module], ...] = _classes()
