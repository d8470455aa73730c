import torch
from torch.distributions import Laplace, Cauchy, Gumbel, HalfNormal, LogNormal
for c in (Laplace, Cauchy, Gumbel, LogNormal):
    torch.manual_seed(0)
    a, b = torch.tensor([0.5, 1.], requires_grad=True), torch.tensor(2., requires_grad=True)
    d = c(a, b)
    print(d, d.batch_shape, d.event_shape, d.mean, d.variance, d.stddev, d.entropy())
    x = d.rsample((2,)); print(x); x.sum().backward(); print(a.grad, b.grad, d.sample())
    v = torch.tensor([.3, 2.]); l = d.log_prob(v); print(l); l.sum().backward(); print(a.grad, b.grad)
torch.manual_seed(0)
d = HalfNormal(torch.tensor([1., 2.])); print(d, d.mean, d.variance, d.mode, d.entropy(), d.sample((2,)), d.log_prob(torch.tensor(.5)), d.cdf(torch.tensor(1.)), d.icdf(torch.tensor(.3)))
print(Laplace(0., 1.).cdf(torch.tensor(.3)), Laplace(0., 1.).icdf(torch.tensor(.3)), Cauchy(0., 1.).cdf(torch.tensor(.3)), Cauchy(0., 1.).icdf(torch.tensor(.3)))
for f in (lambda: Laplace(0., -1.), lambda: LogNormal(0., -1.), lambda: HalfNormal(-1.), lambda: LogNormal(0., 1.).log_prob(torch.tensor(-1.)), lambda: HalfNormal(1.).log_prob(torch.tensor(-1.)), lambda: Gumbel(0., torch.tensor([1., -1.]))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
