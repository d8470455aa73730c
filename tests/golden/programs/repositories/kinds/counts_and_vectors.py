import torch
from torch.distributions import Poisson, Geometric, MultivariateNormal, Independent, Normal, Bernoulli
torch.manual_seed(0)
d = Poisson(torch.tensor([1., 4.])); print(d, d.mean, d.variance, d.mode, d.sample((3,)), d.log_prob(torch.tensor([2., 3.])))
d = Geometric(torch.tensor([.2, .5])); print(d, d.mean, d.variance, d.mode, d.sample((3,)), d.log_prob(torch.tensor([2., 3.])), d.entropy())
d = Geometric(logits=torch.tensor(.3)); print(d.probs, d.log_prob(torch.tensor(0.)))
c = torch.tensor([[2., .5], [.5, 1.]], requires_grad=True); m = torch.tensor([1., -1.], requires_grad=True)
d = MultivariateNormal(m, c); print(d, d.batch_shape, d.event_shape, d.mean, d.variance, d.entropy(), d.scale_tril, d.covariance_matrix, d.precision_matrix)
x = d.rsample((2,)); print(x); x.sum().backward(); print(c.grad, m.grad)
l = d.log_prob(torch.tensor([[0., 0.], [1., 1.]])); print(l)
d = MultivariateNormal(torch.zeros(2), precision_matrix=c.detach()); print(d, d.scale_tril, d.log_prob(torch.ones(2)))
d = MultivariateNormal(torch.zeros(3, 2), scale_tril=torch.eye(2)); print(d, d.batch_shape, d.log_prob(torch.ones(2)), d.sample().shape)
d = Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1); print(d, d.batch_shape, d.event_shape, d.log_prob(torch.ones(2, 3)), d.entropy(), d.has_rsample, d.mean.shape, d.rsample().shape, d.sample((4,)).shape)
d = Independent(Bernoulli(torch.tensor([.5, .2])), 1); print(d.log_prob(torch.tensor([1., 0.])), d.has_rsample)
for f in (lambda: MultivariateNormal(torch.zeros(2)), lambda: MultivariateNormal(torch.zeros(2), torch.tensor([[1., 2.], [2., 1.]])), lambda: MultivariateNormal(torch.tensor(0.), torch.eye(1)), lambda: MultivariateNormal(torch.zeros(2), torch.ones(2)), lambda: Independent(Normal(0., 1.), 1), lambda: Poisson(-1.), lambda: Poisson(1.).log_prob(torch.tensor(.5)), lambda: Geometric(2.), lambda: MultivariateNormal(torch.zeros(2), scale_tril=-torch.eye(2))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
