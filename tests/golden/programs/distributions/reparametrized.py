import torch
from torch.distributions import *
torch.manual_seed(1)
for k in (lambda a, b: Weibull(a, b), lambda a, b: Pareto(a, b), lambda a, b: Gumbel(a, b), lambda a, b: Kumaraswamy(a, b), lambda a, b: HalfCauchy(a), lambda a, b: LogNormal(a, b), lambda a, b: LogisticNormal(a, b), lambda a, b: GeneralizedPareto(a, b, a), lambda a, b: ContinuousBernoulli(logits=a), lambda a, b: RelaxedBernoulli(torch.tensor(.5), logits=a), lambda a, b: RelaxedOneHotCategorical(torch.tensor(.5), logits=a), lambda a, b: TransformedDistribution(Normal(a, b), [AffineTransform(1., 2.), TanhTransform()]), lambda a, b: OneHotCategoricalStraightThrough(logits=a)):
    a = torch.tensor([.5, 2., 9.], requires_grad=True); b = torch.tensor([1., 3., .5], requires_grad=True)
    d = k(a, b); r = d.rsample(); print(type(d).__name__, r); (r ** 2).sum().backward(); print(a.grad, b.grad)
    r = d.rsample((2,)); print(r)
