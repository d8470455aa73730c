import torch
import torch.distributions as D

calls = [
    lambda: D.Normal(0.0, -1.0),
    lambda: D.Normal(torch.zeros(2), torch.tensor([1.0, -1.0])),
    lambda: D.Bernoulli(1.5),
    lambda: D.Bernoulli(),
    lambda: D.Categorical(torch.tensor(1.0)),
    lambda: D.Categorical(torch.tensor([-1.0, 2.0])),
    lambda: D.Uniform(2.0, 1.0),
    lambda: D.Normal(0.0, 1.0).log_prob(3.0),
    lambda: D.Bernoulli(0.5).log_prob(torch.tensor(0.5)),
    lambda: D.Categorical(torch.ones(3)).log_prob(torch.tensor(3)),
    lambda: D.Uniform(0.0, 1.0).log_prob(torch.tensor(2.0)),
    lambda: D.Normal(torch.zeros(2), 1.0).log_prob(torch.ones(3)),
    lambda: D.Exponential(-1.0),
    lambda: D.Normal("a", 1.0),
    lambda: D.kl_divergence(D.Normal(0.0, 1.0), D.Bernoulli(0.5)),
]
for call in calls:
    try:
        print(call())
    except (ValueError, NotImplementedError) as error:
        print(type(error).__name__, error)
print(type(D.Normal(0.0, 1.0)), isinstance(D.Normal(0, 1), D.Distribution))
