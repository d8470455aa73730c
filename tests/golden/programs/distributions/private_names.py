import torch
from torch.distributions import Bernoulli, Binomial, Categorical, ContinuousBernoulli, Kumaraswamy
from torch.distributions import LowRankMultivariateNormal, MixtureSameFamily, MultivariateNormal, Normal, Wishart


class Bell(Normal):
    def _home(self):
        return "here"

    def _refuse(self, value):
        return value

    def _check_parameters(self):
        return True

    def checked(self, value, strict):
        return value.clamp(-strict, strict)

    def normalizer(self):
        return self.scale * 2.5


bell = Bell(0.0, 1.0)
print(bell.expand((2,)).loc, bell.log_prob(torch.tensor(1.0)), bell._home(), bell.normalizer(), bell.entropy())
try:
    Bell(0.0, -1.0)
except ValueError as error:
    print(str(error).split("(")[0])


class Coin(Bernoulli):
    give = "away"


class Flat(LowRankMultivariateNormal):
    def mahalanobis(self):
        return "distance"

    def log_determinant(self):
        return "determinant"


flat = Flat(torch.zeros(2), torch.ones(2, 1), torch.ones(2))
print(flat.log_prob(torch.ones(2)), flat.entropy(), flat.mahalanobis(), flat.log_determinant())
print(torch.distributions.kl_divergence(flat, Flat(torch.ones(2), torch.ones(2, 1), torch.ones(2))), Coin(0.25).log_prob(torch.tensor(1.0)), Coin(0.25).give)


class Cloud(MultivariateNormal):
    def _whole(self):
        return "whole"

    def _home(self):
        return "cloud"


cloud = Cloud(torch.zeros(2), torch.eye(2))
print(cloud.covariance_matrix, cloud.expand((1,)).batch_shape, cloud._whole())


class Count(Binomial):
    def _one_count(self):
        return 1


class Bounded(Kumaraswamy):
    def _moment(self):
        return "first"


class Scales(Wishart):
    _squares, _freedom, _drawn = "squares", "freedom", "drawn"

    def _for_each(self, function):
        return function(self)

    def _singular(self):
        return None


print(Count(2, torch.tensor(0.5)).enumerate_support(), Bounded(1.0, 2.0).mean)
print(Scales(torch.tensor(3.0), torch.eye(2)).mean, Scales(torch.tensor(3.0), torch.eye(2)).entropy())


class Mix(MixtureSameFamily):
    _weights = "named"

    def _check_sizes(self):
        return None

    def _pad(self, x):
        return super()._pad(x) + 0


mix = Mix(Categorical(torch.ones(2)), Normal(torch.tensor([0.0, 1.0]), torch.ones(2)))
print(mix.mean, mix.variance, mix.log_prob(torch.tensor(0.5)), mix._weights)


class Pixel(ContinuousBernoulli):
    def _outside(self):
        return 0

    def _cut(self):
        return 1

    def _cont_bern_log_norm(self):
        return super()._cont_bern_log_norm() * 2


pixel = Pixel(torch.tensor([0.2]))
print(pixel.log_prob(torch.tensor([0.3])), pixel.mean, pixel._outside(), pixel._cut())
