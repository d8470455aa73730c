"""Samples of the gamma family and their implicit gradients, against PyTorch's own, which are approximations."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gradflow.engine.run import run

PROGRAM = """
import torch
from torch.distributions import Beta, Chi2, Dirichlet, FisherSnedecor, Gamma, InverseGamma, StudentT
torch.manual_seed({seed})
a = torch.tensor([0.3, 1.0, 2.5, 12.0], requires_grad=True)
b = torch.tensor([1.5, 0.5, 3.0, 6.0], requires_grad=True)
samples = {law}.rsample((3,))
(samples * torch.arange(1.0, 5.0)).sum().backward()
"""
LAWS = [
    "Gamma(a, b)",
    "Beta(a, b)",
    "Dirichlet(a)",
    "Chi2(a)",
    "StudentT(a, b)",
    "FisherSnedecor(a, b)",
    "InverseGamma(b, a)",
]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("seed", [0, 7])
def test_samples_and_implicit_gradients(law: str, seed: int) -> None:
    source = PROGRAM.format(law=law, seed=seed)
    theirs: dict[str, torch.Tensor] = {}
    exec(source, theirs)
    trace = run(source)
    assert trace.error is None
    ours = {name: tensor for tensor in trace.tensors for name in tensor.names}
    np.testing.assert_allclose(
        np.reshape(ours["samples"].value.data, (3, 4)), theirs["samples"].detach().numpy(), rtol=2e-6
    )
    for name in "ab":
        grad = theirs[name].grad
        assert (grad is None) == (ours[name].grad is None)
        if grad is not None:
            np.testing.assert_allclose(ours[name].grad.data, grad.numpy(), rtol=3e-3, atol=1e-2)
