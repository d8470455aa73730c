import torch
from torch.distributions import *
torch.manual_seed(0)
p = torch.tensor([.2, .7]); l = torch.tensor([.3, -2.], requires_grad=True)
for d, v in ((Binomial(10, p), torch.tensor([3., 4.])), (Binomial(torch.tensor([3., 5.]), logits=l), torch.tensor([3., 4.])), (NegativeBinomial(5., p), torch.tensor([3., 4.])), (NegativeBinomial(torch.tensor([3., 5.]), logits=l), torch.tensor([3., 4.])), (Multinomial(10, torch.tensor([.2, .3, .5])), torch.tensor([3., 4., 3.])), (Multinomial(4, logits=torch.randn(2, 3)), torch.tensor([1., 2., 1.])), (OneHotCategorical(torch.tensor([.2, .3, .5])), torch.tensor([0., 1., 0.])), (OneHotCategorical(logits=torch.randn(2, 3)), torch.tensor([0., 1., 0.])), (RelaxedBernoulli(torch.tensor(.5), p), torch.tensor([.2, .3])), (RelaxedOneHotCategorical(torch.tensor(.5), torch.tensor([.2, .3, .5])), torch.tensor([.2, .3, .5])), (ContinuousBernoulli(p), torch.tensor([.2, .3])), (ContinuousBernoulli(torch.tensor([.5, .4995])), torch.tensor([.2, .3])), (Bernoulli(p), torch.ones(2)), (Poisson(p), torch.ones(2)), (Geometric(p), torch.ones(2)), (Categorical(torch.ones(2, 3)), torch.ones(2))):
    print(d, d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support, d.support, d.arg_constraints, d.param_shape if isinstance(d, Bernoulli) else 0)
    for n in ("mean", "variance", "stddev", "mode"):
        try: print(n, getattr(d, n))
        except Exception as e: print(n, type(e).__name__, e)
    print(d.sample(), d.sample((2,)))
    for n, f in (("logp", lambda: d.log_prob(v)), ("entropy", d.entropy), ("cdf", lambda: d.cdf(v)), ("perplexity", d.perplexity), ("enum", d.enumerate_support), ("enum1", lambda: d.enumerate_support(False))):
        try: print(n, f())
        except Exception as e: print(n, type(e).__name__, e)
    print(d)
    e = d.expand((3, 2) if len(d.batch_shape) else (2,)); print(e, e.batch_shape, e.sample().shape, e.log_prob(v))
