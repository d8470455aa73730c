import torch

torch.manual_seed(2)
print(
    torch.normal(torch.arange(4.0), torch.ones(2, 4)),
    torch.normal(2.0, torch.ones(20)).sum(),
    torch.normal(0.0, 1.0, (3,)),
)
print(
    torch.empty(4).exponential_(2.0),
    torch.empty(4).geometric_(0.3),
    torch.empty(4).cauchy_(1, 2),
    torch.empty(4).log_normal_(),
)
print(
    torch.empty(5).random_(),
    torch.empty(5, dtype=torch.int8).random_(-3, 9),
    torch.empty(3, dtype=torch.int64).random_(2**40),
)
print(
    torch.bernoulli(torch.tensor([0.1, 0.5, 0.9])),
    torch.ones(4).bernoulli(0.5),
    torch.ones(2, 2).bernoulli_(torch.tensor([0.2, 0.8])),
)
print(torch.poisson(torch.tensor([0.0, 0.5, 3.0, 12.0, 300.0])))
print(torch.binomial(torch.tensor([5.0, 40.0, 900.0]), torch.tensor([0.9, 0.5, 0.3])))
print(
    torch.multinomial(torch.tensor([[1.0, 2.0, 3.0], [3.0, 0.0, 1.0]]), 2),
    torch.multinomial(torch.tensor([1.0, 5.0]), 6, True),
)
print(torch.randint_like(torch.ones(3), 2, 9), torch.randint(2**30, (2,)), torch.randperm(6))
print(torch.get_rng_state().sum())
