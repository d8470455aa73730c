"""How many float32 results differ from PyTorch's in any bit: the order of a kernel's steps decides, and it is PyTorch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from gradflow.engine.namespace.torch import modules

EXACT = """
F.gelu(x, approximate='tanh')
F.mse_loss(x, y)
F.mse_loss(x, y, reduction='sum')
F.mse_loss(x, y, reduction='none')
F.mse_loss(x, y, weight=w)
F.l1_loss(x, y)
F.smooth_l1_loss(x, y)
F.smooth_l1_loss(x, y, beta=.7, reduction='none')
F.huber_loss(x, y, delta=.7)
F.huber_loss(x, y, delta=.7, reduction='sum')
F.hinge_embedding_loss(x, signs)
F.margin_ranking_loss(x[:, 0], x[:, 1], signs[:, 0], margin=.3)
F.triplet_margin_loss(x, y, z)
F.multi_margin_loss(x, classes)
F.multi_margin_loss(x, classes, p=2, weight=c, reduction='none')
F.binary_cross_entropy(p, q) | p
F.binary_cross_entropy(p, q, reduction='sum') | p
F.binary_cross_entropy(p, q, weight=w) | p
F.binary_cross_entropy_with_logits(x, q) | q
F.nll_loss(x, classes, weight=c)
F.nll_loss(x, classes, weight=c, ignore_index=1)
F.nll_loss(x.view(4, 5, 20), classes.view(4, 20), weight=c)
F.kl_div(x, p)
F.kl_div(x, p, reduction='batchmean')
F.poisson_nll_loss(x, p)
F.gaussian_nll_loss(x, y, p)
F.hardswish(x)
F.hardsigmoid(x)
F.leaky_relu(x, .07)
F.prelu(x, c)
F.softsign(x)
"""
"""Expressions of which at most one result in a hundred differs, and after ``|`` the leaf, where it is not x."""
CLOSE = """
torch.log(x.abs() + .1)
torch.atan2(x, y)
torch.sigmoid(x)
F.silu(x)
F.mish(x)
F.softplus(x)
F.logsigmoid(x)
F.elu(x)
torch.logit(p) | p
F.softmax(x, 1)
F.softmax(x.view(5, 80), 0)
F.softmax(x.view(8, 50), 1)
F.softmax(x.view(8, 10, 5), 1)
F.log_softmax(x, 1)
F.log_softmax(x.view(5, 80), 0)
F.cross_entropy(x, classes)
F.cross_entropy(x, classes, weight=c)
F.cross_entropy(x, classes, ignore_index=1)
F.cross_entropy(x, classes, weight=c, label_smoothing=.1)
F.cross_entropy(x, p, label_smoothing=.1)
F.cross_entropy(x.view(4, 5, 20), classes.view(4, 20))
F.soft_margin_loss(x, signs)
F.soft_margin_loss(x, signs, reduction='none')
F.multilabel_soft_margin_loss(x, bits)
F.binary_cross_entropy(p, bits, reduction='none') | p
F.binary_cross_entropy(p, q) | q
F.binary_cross_entropy_with_logits(x, bits)
F.binary_cross_entropy_with_logits(x, q, reduction='sum')
F.binary_cross_entropy_with_logits(x, bits, weight=w)
F.binary_cross_entropy_with_logits(x, bits, pos_weight=c)
F.binary_cross_entropy_with_logits(x, bits, weight=w, pos_weight=c, reduction='none')
"""
"""Those of which at most one in ten does: PyTorch asks a library whose last digit is not always right."""
AVX512 = torch.backends.cpu.get_cpu_capability() == "AVX512"


def _given(library: Any) -> dict[str, Any]:
    """The tensors that the expressions name, of 400 numbers each, and the library's own names."""
    numbers = np.random.default_rng(13)
    normal = numbers.standard_normal((6, 80, 5)).astype(np.float32)
    unit = numbers.uniform(0.02, 0.98, (3, 80, 5)).astype(np.float32)
    arrays = {
        "x": normal[0] * np.float32(2),
        "y": normal[1],
        "z": normal[2],
        "g": normal[3],
        "p": unit[0],
        "q": unit[1],
        "w": unit[2],
        "signs": np.sign(normal[4]),
        "bits": (normal[5] > 0).astype(np.float32),
        "classes": numbers.integers(0, 5, 80),
        "c": np.array([0.7, 1.3, 0.4, 2.1, 0.9], np.float32),
    }
    made = {name: library.tensor(array) for name, array in arrays.items()}
    return made | {"torch": library, "F": library.nn.functional}


def _results(library: Any, expression: str, of: str) -> tuple[np.ndarray, np.ndarray]:
    names = _given(library)
    leaf = names[of].requires_grad_()
    value = eval(expression, names)
    upstream = names["g"].reshape(-1)[: value.numel()].reshape(value.shape)
    value.backward(upstream)
    return value.detach().numpy().reshape(-1), leaf.grad.numpy().reshape(-1)


def _shares(expression: str, of: str = "x") -> tuple[float, float]:
    """The shares of results, and of elements of the gradient, that differ."""
    own, theirs = (_results(library, expression, of) for library in (modules()["torch"], torch))
    return tuple(float((a.view(np.int32) != b.view(np.int32)).mean()) for a, b in zip(own, theirs, strict=True))


def _cases(expressions: str) -> list[tuple[str, str]]:
    parts = [line.partition(" | ") for line in expressions.strip().split("\n")]
    return [(expression, leaf or "x") for expression, _, leaf in parts]


@pytest.mark.skipif(not AVX512, reason="how many elements are a vector is the processor's")
@pytest.mark.parametrize(
    ("expression", "of", "bound"),
    [(*case, 0.01) for case in _cases(EXACT)] + [(*case, 0.1) for case in _cases(CLOSE)],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_so_few_numbers_differ(expression: str, of: str, bound: float) -> None:
    found = _shares(expression, of)
    assert max(found) <= bound, f"{expression}: {found[0]:.3f} of the results, {found[1]:.3f} of the gradient"


@pytest.mark.skipif(not AVX512, reason="oneDNN has another approximation")
def test_the_slope_of_gelu_is_the_approximate_one() -> None:
    forward, gradient = _shares("F.gelu(x)", "x")
    assert forward < 0.33
    assert gradient < 0.12
