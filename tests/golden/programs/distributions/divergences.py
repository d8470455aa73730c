import torch, itertools
from torch.distributions import *
import torch.distributions as D
torch.manual_seed(0)
ds = [Bernoulli(torch.tensor([.3, .6])), Bernoulli(torch.tensor([.5, .2])), Beta(torch.tensor([1.5, 2.]), torch.tensor([2., .7])), Beta(2., 3.), Binomial(5, torch.tensor([.3, .5])), Binomial(5, torch.tensor([.2, .7])), Binomial(3, torch.tensor([.2, .7])), Categorical(torch.tensor([.2, .8])), ContinuousBernoulli(torch.tensor([.3, .6])), ContinuousBernoulli(torch.tensor([.1, .9])), Dirichlet(torch.tensor([1., 2.])), Dirichlet(torch.tensor([3., 1.])), Exponential(torch.tensor([1., 2.])), Exponential(torch.tensor([3., .2])), Gamma(torch.tensor([1., 2.]), torch.tensor([3., .5])), Gamma(2., 1.), Gumbel(torch.tensor([0., 1.]), torch.tensor([1., 2.])), Gumbel(1., 1.), Geometric(torch.tensor([.3, .6])), Geometric(torch.tensor([.5, .1])), HalfNormal(torch.tensor([1., 2.])), HalfNormal(.5), Laplace(torch.tensor([0., 1.]), torch.tensor([1., 2.])), Laplace(1., 1.), Normal(torch.tensor([0., 1.]), torch.tensor([1., 2.])), Normal(1., 3.), OneHotCategorical(torch.tensor([.2, .8])), Pareto(torch.tensor([1., 2.]), torch.tensor([2., 3.])), Pareto(.5, 4.), Poisson(torch.tensor([1., 2.])), Poisson(3.), LogNormal(torch.tensor([0., 1.]), 1.), LogNormal(1., 2.), Uniform(torch.tensor([0., .2]), torch.tensor([.5, .9])), Uniform(-1., 4.), Cauchy(torch.tensor([0., 1.]), 1.), Cauchy(1., 2.), Independent(Normal(torch.zeros(2), 1.), 1), Chi2(torch.tensor([1., 2.])), StudentT(3.)]
for p, q in itertools.product(ds, ds):
    try: print(p, q, kl_divergence(p, q))
    except Exception as e: print(type(p).__name__, type(q).__name__, type(e).__name__, e)
class Mine(Normal): pass
@register_kl(Mine, Normal)
def f(p, q): return torch.tensor(42.)
print(kl_divergence(Mine(0., 1.), Normal(0., 1.)), kl_divergence(Mine(0., 1.), Mine(0., 1.)), kl_divergence(Normal(0., 1.), Mine(0., 1.)))
try: print(kl_divergence(Mine(0., 1.), Gamma(1., 1.)))
except Exception as e: print(type(e).__name__, e)
