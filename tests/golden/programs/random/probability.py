import torch
from torch.distributions import Bernoulli, Categorical, Exponential, Normal, Uniform, kl_divergence

torch.manual_seed(0)
m = torch.tensor([0.0, 1.0], requires_grad=True)
s = torch.tensor([1.0, 2.0], requires_grad=True)
d = Normal(m, s)
print(d, d.mean, d.stddev, d.variance, d.batch_shape, d.event_shape, d.loc, d.scale)
a = d.sample()
print(a, d.sample((3,)), d.log_prob(a), d.entropy())
r = d.rsample((2,))
print(r)
(r**2).sum().backward()
print(m.grad, s.grad)
d.log_prob(torch.ones(3, 2)).sum().backward()
print(m.grad, s.grad, d.cdf(torch.ones(2)), d.icdf(torch.full((2,), 0.3)))
print(
    Normal(0.0, 1.0),
    Normal(0, 1).sample((20,)).shape,
    Normal(0.0, 1.0).log_prob(torch.tensor(0.5)),
    Normal(0, 1).rsample(),
    Normal(torch.zeros(2), 1.0).sample(),
)
k = kl_divergence(Normal(m, s), Normal(torch.zeros(2), torch.ones(2)))
print(k)
k.sum().backward()
print(m.grad, s.grad)
p = torch.tensor([0.2, 0.7], requires_grad=True)
d = Bernoulli(p)
print(
    d,
    d.sample(),
    d.sample((3,)),
    d.log_prob(torch.tensor([1.0, 0.0])),
    d.entropy(),
    d.mean,
    d.variance,
    d.probs,
    d.logits,
)
d.log_prob(torch.tensor([1.0, 0.0])).sum().backward()
print(p.grad)
z = torch.tensor([0.2, 0.7], requires_grad=True)
d = Bernoulli(logits=z)
print(d, d.sample(), d.log_prob(torch.tensor([1.0, 0.0])), d.entropy(), d.probs, d.enumerate_support())
print(kl_divergence(Bernoulli(p), Bernoulli(torch.tensor([0.5, 1.0]))), Bernoulli(0.3), Bernoulli(0.3).sample((4,)))
p = torch.tensor([[0.2, 0.3, 0.5], [1.0, 1, 2]], requires_grad=True)
d = Categorical(p)
print(d, d.sample(), d.sample((3,)), d.log_prob(torch.tensor([1, 2])), d.entropy(), d.probs, d.logits, d.mode, d.mean)
d.log_prob(torch.tensor([1, 0])).sum().backward()
print(p.grad)
z = torch.tensor([0.2, 0.7, 3], requires_grad=True)
d = Categorical(logits=z)
print(
    d,
    d.sample(),
    d.log_prob(torch.tensor(2)),
    d.entropy(),
    d.probs,
    d.logits,
    d.enumerate_support(),
    d.param_shape,
    d.perplexity(),
)
(-d.log_prob(torch.tensor(1)) * 2).backward()
print(z.grad)
print(kl_divergence(Categorical(p), Categorical(torch.ones(2, 3))))
a = torch.tensor([0.0, 1.0], requires_grad=True)
d = Uniform(a, torch.tensor([2.0, 5.0]))
print(
    d,
    d.sample(),
    d.rsample((2,)),
    d.log_prob(torch.tensor([1.0, 2.0])),
    d.entropy(),
    d.mean,
    d.stddev,
    d.variance,
    d.cdf(torch.tensor([1.0, 2.0])),
)
d.rsample().sum().backward()
print(a.grad, Uniform(0.0, 1.0).sample((3,)), Uniform(0, 1))
print(
    kl_divergence(Uniform(torch.tensor([0.0]), torch.tensor([1.0])), Uniform(torch.tensor([-1.0]), torch.tensor([2.0])))
)
e = Exponential(torch.tensor([1.0, 2.0], requires_grad=True))
print(e, e.sample(), e.rsample(), e.log_prob(torch.ones(2)), e.entropy(), e.mean, e.variance)
