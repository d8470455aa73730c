"""The losses as modules."""

from __future__ import annotations

from typing import Any

from engine.nn.module import Module
from engine.nn.table import layer

_OLD = {"size_average": None, "reduce": None, "reduction": "mean"}


def _loss(name: str, function: str, **own: Any) -> type[Module]:
    return layer(name, function, own)


CLASSES: tuple[type[Module], ...] = (
    _loss("MSELoss", "mse_loss", **_OLD),
    _loss("L1Loss", "l1_loss", **_OLD),
    _loss("SmoothL1Loss", "smooth_l1_loss", **_OLD, beta=1.0),
    _loss("HuberLoss", "huber_loss", reduction="mean", delta=1.0),
    _loss("BCELoss", "binary_cross_entropy", weight=None, **_OLD),
    _loss("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", weight=None, **_OLD, pos_weight=None),
    _loss("NLLLoss", "nll_loss", weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"),
    _loss(
        "CrossEntropyLoss", "cross_entropy", weight=None, size_average=None, ignore_index=-100, reduce=None,
        reduction="mean", label_smoothing=0.0,
    ),
    _loss("KLDivLoss", "kl_div", **_OLD, log_target=False),
    _loss("SoftMarginLoss", "soft_margin_loss", **_OLD),
    _loss("HingeEmbeddingLoss", "hinge_embedding_loss", margin=1.0, **_OLD),
    _loss("MarginRankingLoss", "margin_ranking_loss", margin=0.0, **_OLD),
    _loss("CosineEmbeddingLoss", "cosine_embedding_loss", margin=0.0, **_OLD),
    _loss("TripletMarginLoss", "triplet_margin_loss", margin=1.0, p=2.0, eps=1e-6, swap=False, **_OLD),
    _loss("MultiMarginLoss", "multi_margin_loss", p=1, margin=1.0, weight=None, **_OLD),
    _loss("MultiLabelMarginLoss", "multilabel_margin_loss", **_OLD),
    _loss("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", weight=None, **_OLD),
    _loss(
        "PoissonNLLLoss", "poisson_nll_loss", log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
        reduction="mean",
    ),
    _loss("GaussianNLLLoss", "gaussian_nll_loss", full=False, eps=1e-6, reduction="mean"),
    _loss("PairwiseDistance", "pairwise_distance", p=2.0, eps=1e-6, keepdim=False),
)  # fmt: skip
