import torch
from torch.distributions import *
torch.manual_seed(0)
a = torch.tensor([.5, 2., 9.], requires_grad=True); b = torch.tensor([1., 3., .5], requires_grad=True)
for d, v in ((Gamma(a, b), torch.tensor([.3, 1., 4.])), (Beta(a, b), torch.tensor([.3, .5, .9])), (Chi2(a), torch.tensor([.3, 1., 4.])), (StudentT(a), torch.tensor([.3, -1., 4.])), (StudentT(a, b, b), torch.tensor([.3, -1., 4.])), (FisherSnedecor(a, b), torch.tensor([.3, 1., 4.])), (Dirichlet(a), torch.tensor([.3, .3, .4])), (InverseGamma(a, b), torch.tensor([.3, 1., 4.])), (Kumaraswamy(a, b), torch.tensor([.3, .5, .9])), (Weibull(a, b), torch.tensor([.3, .5, .9])), (Pareto(a, b), torch.tensor([3., 5., 9.])), (GeneralizedPareto(a, b, b), torch.tensor([3., 5., 19.])), (HalfCauchy(a), torch.tensor([3., 5., 9.])), (HalfNormal(a), torch.tensor([3., 5., 9.])), (LogNormal(a, b), torch.tensor([3., 5., 9.])), (Gumbel(a, b), torch.tensor([3., 5., 9.])), (VonMises(a, b), torch.tensor([.3, .5, 3.]))):
    print(d, d.batch_shape, d.event_shape, d.has_rsample, d.support, d.arg_constraints)
    for n in ("mean", "variance", "stddev", "mode"):
        try: print(n, getattr(d, n))
        except Exception as e: print(n, type(e).__name__, e)
    print(d.sample(), d.sample((2,)))
    for n, f in (("logp", lambda: d.log_prob(v)), ("entropy", d.entropy), ("cdf", lambda: d.cdf(v)), ("icdf", lambda: d.icdf(torch.tensor([.1, .5, .9])))):
        try: print(n, f())
        except Exception as e: print(n, type(e).__name__, e)
    e = d.expand((2, 3) if not d.event_shape else (2,)); print(e, e.batch_shape, e.sample().shape, e.log_prob(v), type(e))
    a.grad = b.grad = None
    d.log_prob(v).sum().backward(); print(a.grad, b.grad)
