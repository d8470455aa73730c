"""Every operation on bfloat16 against PyTorch: the results, their dtypes, the first gradients and refusals, bit for bit."""

from __future__ import annotations

from typing import Final

import pytest
import torch

from gradflow.engine.registry import REGISTRY, Op
from tests.oracle.bfloat16 import report

ROUNDED_ELSEWHERE: Final = {
    "adaptive_avg_pool2d adaptive_avg_pool3d avg_pool2d": "the gradients of a window are added up in bfloat16, in the order"
    " of the elements",
    "reflection_pad2d reflection_pad3d replication_pad2d replication_pad3d": "the gradients of copies are added up in"
    " bfloat16, in the order of the elements",
    "group_norm layer_norm": "the sums of the gradients of scales are added up in another order",
    "binary_cross_entropy binary_cross_entropy_with_logits huber_loss logsigmoid soft_margin_loss": "the loss or its gradient"
    " is rounded at more places",
    "glu i0e logit mvlgamma polygamma renorm": "rounded after some of the steps",
    "flash_attention": "the weights are rounded before they meet the values",
    "grid_sampler_2d grid_sampler_3d upsample_bicubic2d upsample_bilinear2d upsample_trilinear3d": "the places and weights"
    " are computed in bfloat16",
    "linalg_matrix_exp": "PyTorch's has infinities, for its coefficients do not fit",
    "fft_r2c linalg_pinv": "what programs call refuses before",
}
"""What differs, and why. docs/limitations.md says so too."""
BY_PROCESSOR: Final = {
    "gelu_exact": ("AVX512", "there the tails are computed with other functions"),
    "conv": ("AVX2", "without AVX-512 oneDNN adds in another order"),
    "conv_transpose": ("AVX2", "without AVX-512 oneDNN adds in another order"),
}
"""What differs on some processors: PyTorch's name for what they can do, and why."""
EXCEPTIONS: Final = {name: reason for names, reason in ROUNDED_ELSEWHERE.items() for name in names.split()} | {
    name: reason for name, (kind, reason) in BY_PROCESSOR.items() if torch.backends.cpu.get_cpu_capability() == kind
}
EXACT: Final = [op for op in REGISTRY if op.name not in EXCEPTIONS]


@pytest.mark.parametrize("op", EXACT, ids=lambda op: op.name)
@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's own
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_operation_has_pytorchs_bits(op: Op) -> None:
    found = report(op)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", EXCEPTIONS)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_exception_is_one(name: str) -> None:
    assert report(REGISTRY[name]), f"{name} has PyTorch's bits by now"
