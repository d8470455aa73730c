"""The gamma distribution and what is made of its samples: ``Gamma``, ``Chi2``, ``StudentT``, ``Dirichlet``, ``Beta`` and kin."""

from __future__ import annotations

import math
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.distributions.base import Distribution, ExponentialFamily, check_copied, checked, filled
from gradflow.engine.namespace.distributions.constraints import (
    NAMES,
    NONNEGATIVE,
    POSITIVE,
    REAL,
    SIMPLEX,
    UNIT,
    independent,
)
from gradflow.engine.namespace.distributions.utils import (
    Declared,
    broadcast_all,
    call,
    cat,
    is_number,
    stack,
    standard_normal,
    tiny_of,
)
from gradflow.engine.namespace.functions import creation
from gradflow.engine.namespace.random import creation as random_creation
from gradflow.engine.namespace.random import random_in_place
from gradflow.engine.state import grad_mode
from gradflow.engine.tensor import Tensor


class Gamma(ExponentialFamily):
    """Sums of waiting times, ``concentration`` of them at this rate."""

    has_rsample = True
    arg_constraints: Any = Declared(concentration=POSITIVE, rate=POSITIVE)
    support: Any = NONNEGATIVE
    _mean_carrier_measure = 0

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        return self.concentration / self.rate

    @property
    def mode(self) -> Any:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Any:
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        drawn: Any = random_in_place.standard_gamma(self.concentration.expand(shape))
        value = drawn / self.rate.expand(shape)
        value.detach().clamp_(min=tiny_of(value))
        return value

    def log_prob(self, value: Any) -> Any:
        value = value if isinstance(value, Tensor) else creation.tensor(value, dtype=self.rate.dtype)
        value = checked(self, value)
        a, rate = self.concentration, self.rate
        return a.xlogy(rate) + (a - 1).xlogy(value) - rate * value - a.lgamma()

    def entropy(self) -> Any:
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1.0 - a) * a.digamma()

    def cdf(self, value: Any) -> Any:
        return call("igamma", self.concentration, self.rate * checked(self, value))

    @property
    def _natural_params(self) -> Any:
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return (x + 1).lgamma() + (x + 1) * (-y.reciprocal()).log()


class Chi2(Gamma):
    """The sum of ``df`` squares of normal variables."""

    arg_constraints = Declared(df=POSITIVE)

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self.concentration * 2


class StudentT(Distribution):
    """A normal variable over the root of a mean of squares of others."""

    has_rsample = True
    arg_constraints = Declared(df=POSITIVE, loc=REAL, scale=POSITIVE)
    support: Any = REAL

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        mean = self.loc.clone()
        mean[self.df <= 1] = math.nan
        return mean

    @property
    def mode(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        result, known = self.df.clone(), self.df > 2
        result[known] = self.scale[known].pow(2) * self.df[known] / (self.df[known] - 2)
        result[(self.df <= 2) & (self.df > 1)] = math.inf
        result[self.df <= 1] = math.nan
        return result

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = standard_normal(self._extended_shape(sample_shape), self.df)
        squares = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (noise * (squares / self.df).rsqrt())

    def log_prob(self, value: Any) -> Any:
        y, df = (checked(self, value) - self.loc) / self.scale, self.df
        constant = self.scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi)
        constant = constant + (0.5 * df).lgamma() - (0.5 * (df + 1.0)).lgamma()
        return -0.5 * (df + 1.0) * (y**2.0 / df).log1p() - constant

    def entropy(self) -> Any:
        df = self.df
        log_beta = (0.5 * df).lgamma() + math.lgamma(0.5) - (0.5 * (df + 1)).lgamma()
        slopes = self.scale.log() + 0.5 * (df + 1) * ((0.5 * (df + 1)).digamma() - (0.5 * df).digamma())
        return slopes + 0.5 * df.log() + log_beta


class FisherSnedecor(Distribution):
    """The ratio of two means of squares of normal variables."""

    has_rsample = True
    arg_constraints = Declared(df1=POSITIVE, df2=POSITIVE)
    support: Any = POSITIVE

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1, self._gamma2 = Gamma(self.df1 * 0.5, self.df1), Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Any:
        df2 = _df2_above(self, 2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Any:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self) -> Any:
        df1, df2 = self.df1, _df2_above(self, 4)
        return 2 * df2.pow(2) * (df1 + df2 - 2) / (df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Any = ()) -> Any:
        above, below = (part.rsample(sample_shape) for part in (self._gamma1, self._gamma2))
        ratio = above / below.clamp_(min=tiny_of(below))
        return ratio.clamp_(min=tiny_of(below))

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        constant = (a + b).lgamma() - a.lgamma() - b.lgamma()
        powers = a * ratio.log() + (a - 1) * value.log()
        both = (a + b) * (ratio * value).log1p()
        return constant + powers - both


def _df2_above(distribution: FisherSnedecor, bound: int) -> Any:
    df2 = distribution.df2.clone()
    df2[df2 <= bound] = math.nan
    return df2


class Dirichlet(ExponentialFamily):
    """Probabilities: gamma variables over their sum."""

    has_rsample = True
    arg_constraints = Declared(concentration=independent(POSITIVE, 1))
    support: Any = SIMPLEX
    _mean_carrier_measure = 0

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise errors.MODULE_ARGUMENT(message="`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return random_in_place.sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Any:
        a = self.concentration
        return (a - 1.0).xlogy(checked(self, value)).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    @property
    def mean(self) -> Any:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Any:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        corner = (self.concentration < 1).all(dim=-1)
        mode[corner] = call("one_hot", mode[corner].argmax(dim=-1), above.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Any:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self) -> Any:
        a, total, count = self.concentration, self.concentration.sum(-1), self.concentration.shape[-1]
        sizes = a.lgamma().sum(-1) - total.lgamma()
        return sizes - (count - total) * total.digamma() - ((a - 1.0) * a.digamma()).sum(-1)

    @property
    def _natural_params(self) -> Any:
        return (self.concentration,)

    def _log_normalizer(self, x: Any) -> Any:
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()


class Beta(ExponentialFamily):
    """A probability: one of two gamma variables over their sum."""

    has_rsample = True
    arg_constraints = Declared(concentration1=POSITIVE, concentration0=POSITIVE)
    support: Any = UNIT
    _mean_carrier_measure = 0

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        if is_number(concentration1) and is_number(concentration0):
            both: Any = creation.tensor([float(concentration1), float(concentration0)])
        else:
            both = stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet.batch_shape, validate_args=validate_args)

    @property
    def concentration1(self) -> Any:
        """The weight of 1."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Any:
        """The weight of 0."""
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self) -> Any:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Any:
        return self._dirichlet.mode[..., 0]

    @property
    def variance(self) -> Any:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value: Any) -> Any:
        value = checked(self, value)
        return self._dirichlet.log_prob(stack([value, 1.0 - value], -1))

    def entropy(self) -> Any:
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> Any:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x: Any, y: Any) -> Any:
        return x.lgamma() + y.lgamma() - (x + y).lgamma()


class LKJCholesky(Distribution):
    """Cholesky factors of matrices of correlations. D. Lewandowski, D. Kurowicka and H. Joe (2009), the onion method."""

    arg_constraints = Declared(concentration=POSITIVE)
    support: Any = NAMES["corr_cholesky"]

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise errors.MODULE_ARGUMENT(
                message=f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        rows: Any = creation.arange(dim - 1, dtype=self.concentration.dtype)
        rows = cat([rows.new_zeros((1,)), rows], 0)
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(rows + 0.5, marginal.unsqueeze(-1) - 0.5 * rows)
        super().__init__(self.concentration.shape, (dim, dim), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = filled(self._get_checked_instance(LKJCholesky, _instance))
        wide = {
            "concentration": self.concentration.expand(tuple(batch_shape)),
            "_beta": self._beta.expand((*batch_shape, self.dim)),
        }
        for name, value in (vars(self) | wide).items():
            check_copied(new, name)
            vars(new)[name] = value
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def sample(self, sample_shape: Any = ()) -> Any:
        with grad_mode(False):
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            normal: Any = random_creation.randn(self._extended_shape(sample_shape), dtype=y.dtype)
            normal = normal.tril(-1)
            direction = normal / normal.norm(dim=-1, keepdim=True)
            direction[..., 0, :] = 0.0
            factor = y.sqrt() * direction
            rest = (1 - (factor**2).sum(-1)).clamp(min=tiny_of(factor)).sqrt()
            return factor + rest.diag_embed()

    def log_prob(self, value: Any) -> Any:
        diagonal = checked(self, value).diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - creation.arange(2, self.dim + 1)
        powers, rest = (order * diagonal.log()).sum(-1), self.dim - 1
        alpha = self.concentration + 0.5 * rest
        below = alpha.lgamma() * rest
        return powers - (0.5 * rest * math.log(math.pi) + (alpha - 0.5).mvlgamma(rest) - below)


CLASSES = (Gamma, Chi2, StudentT, FisherSnedecor, Dirichlet, Beta, LKJCholesky)
