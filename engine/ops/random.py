"""Random values in the place of those of a tensor: what is drawn does not depend on what was there.

The samples are drawn before (`gradflow.engine.namespace.random.creation`), so that an operation is a function of its arguments.
"""

from __future__ import annotations

import numpy as np

from gradflow.engine.numerics import gamma_samples
from gradflow.engine.registry import Array, op

_ZERO = "zeros_like_array(g)"
_MEAN, _STD = "sum_to_size(zeros_like_array(g), mean.shape)", "sum_to_size(zeros_like_array(g), std.shape)"
_SAMPLE = (([0.5, 0.25], np.array([1.0, 0.0])),)

IN_PLACE = {
    "uniform": "UniformBackward0", "normal": "NormalBackward0", "bernoulli_tensor": "BernoulliBackward1",
    "bernoulli_number": "BernoulliBackward2", "exponential": "ExponentialBackward0", "geometric": "GeometricBackward0",
    "cauchy": "CauchyBackward0", "log_normal": "LogNormalBackward0", "random_between": "RandomBackward0",
    "random_below": "RandomBackward1", "random": "RandomBackward2",
}  # fmt: skip
"""Operations that overwrite a tensor, and what PyTorch calls them."""
NEW = {"bernoulli": "BernoulliBackward0", "poisson": "PoissonBackward0"}
"""Operations whose input is the parameter of a distribution."""


def overwritten(input: Array, samples):
    """Random samples in the place of the elements."""
    return np.array(samples, input.dtype)


def drawn(input: Array, samples):
    """A random sample for each element, from the distribution that the element determines."""
    return np.array(samples, input.dtype)


for _name, _grad_fn in IN_PLACE.items():
    op(
        name=_name,
        gradients={"input": _ZERO},
        latex="⟨1⟩",
        symbol=_name,
        grad_fn=_grad_fn,
        inplace=True,
        functions=(),
        methods=(),
        torch=None,
        samples=_SAMPLE,
    )(overwritten)
for _name, _grad_fn in NEW.items():
    op(
        name=_name,
        gradients={"input": _ZERO},
        latex="⟨1⟩",
        symbol=_name,
        grad_fn=_grad_fn,
        inplace=False,
        functions=(),
        methods=(),
        torch=None,
        samples=_SAMPLE,
    )(drawn)


@op(
    gradients={"mean": _ZERO},
    latex="⟨1⟩",
    symbol="normal",
    grad_fn="NormalBackward1",
    inplace=False,
    functions=(),
    methods=(),
    torch=None,
    samples=_SAMPLE,
)
def normal_mean(mean: Array, samples):
    """Normal samples around each mean."""
    return np.array(samples, mean.dtype)


@op(
    gradients={"std": _ZERO},
    latex="⟨1⟩",
    symbol="normal",
    grad_fn="NormalBackward2",
    inplace=False,
    functions=(),
    methods=(),
    torch=None,
    samples=_SAMPLE,
)
def normal_std(std: Array, samples):
    """Normal samples with each standard deviation."""
    return np.array(samples, std.dtype)


@op(
    gradients={"mean": _MEAN, "std": _STD},
    latex="⟨2⟩",
    symbol="normal",
    grad_fn="NormalBackward3",
    inplace=False,
    functions=(),
    methods=(),
    torch=None,
    samples=(([0.5, 0.25], [1.0, 2.0], np.array([1.0, 0.0])),),
)
def normal_mean_std(mean: Array, std: Array, samples):
    """Normal samples with each mean and standard deviation."""
    return np.array(samples, mean.dtype)


@op(latex="⟨2⟩", symbol="binomial", functions=(), methods=(), torch=None)
def binomial(count: Array, prob: Array, samples):
    """Numbers of successes among ``count`` trials."""
    return np.array(samples, count.dtype)


@op(latex="⟨1⟩", symbol="multinomial", functions=(), methods=(), torch=None)
def multinomial(input: Array, samples):
    """Numbers of categories, drawn with the probabilities in the rows."""
    return np.asarray(samples)


@op(latex=r"\text{standard\_gamma\_grad}\left(⟨0⟩, ⟨1⟩\right)", symbol="∂Γ", functions=(), methods=(), torch=None)
def standard_gamma_grad(input: Array, samples: Array):
    """How samples of the gamma distribution move with the concentration, at the same probability."""
    return np.asarray(gamma_samples.gamma_slope(input, samples), input.dtype)


@op(
    gradients={"input": "g * standard_gamma_grad(input, out)"},
    latex="⟨1⟩",
    symbol="Γ",
    grad_fn="StandardGammaBackward0",
    inplace=False,
    functions=(),
    methods=(),
    torch=None,
)
def standard_gamma(input: Array, samples):
    """A sample of the gamma distribution with rate 1 for each concentration."""
    return np.array(samples, input.dtype)


@op(latex=r"\text{dirichlet\_grad}\left(⟨0⟩, ⟨1⟩\right)", symbol="∂Dir", functions=(), methods=(), torch=None)
def dirichlet_grad(input: Array, concentration: Array):
    """How each of some probabilities moves with its concentration, over what the others then lose."""
    total = concentration.sum(-1, keepdims=True, dtype=np.float64)
    slopes = gamma_samples.beta_slope(input, concentration, total - concentration)
    return np.asarray(slopes / (1 - input.astype(np.float64)), input.dtype)


@op(
    gradients={"input": "dirichlet_grad(out, input) * (g - sum_dim(out * g, -1, True))"},
    latex="⟨1⟩",
    symbol="Dir",
    grad_fn="_DirichletBackward",
    inplace=False,
    functions=(),
    methods=(),
    torch=None,
)
def dirichlet(input: Array, samples):
    """Probabilities for each row of concentrations."""
    return np.array(samples, input.dtype)
