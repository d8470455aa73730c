import torch

x = torch.ones(3)
calls = {
    "normal_": lambda: x.normal_(0, -1),
    "uniform_": lambda: x.uniform_(2, 1),
    "exponential_": lambda: x.exponential_(-1),
    "geometric_": lambda: x.geometric_(2),
    "cauchy_": lambda: x.cauchy_(0, -1),
    "log_normal_": lambda: x.log_normal_(0, -1),
    "bernoulli_": lambda: x.bernoulli_(1.5),
    "random_": lambda: x.random_(5, 2),
    "integers": lambda: x.long().normal_(),
    "rand": lambda: torch.rand(2, dtype=torch.int64),
    "bernoulli": lambda: torch.bernoulli(x * 2),
    "multinomial": lambda: torch.multinomial(x, 4),
    "negative": lambda: torch.multinomial(-x, 1),
    "zero": lambda: torch.multinomial(x * 0, 1),
    "poisson": lambda: torch.poisson(-x),
    "byte": lambda: torch.randint(300, (2,), dtype=torch.uint8),
    "tensor": lambda: torch.tensor(300, dtype=torch.uint8),
    "full": lambda: torch.full((2,), 300, dtype=torch.int8),
    "tensors": lambda: torch.tensor([x, x]),
    "window": lambda: torch.hann_window(-1),
    "finfo": lambda: torch.finfo(torch.int64),
}
for name, call in calls.items():
    try:
        print(name, call())
    except (RuntimeError, ValueError, TypeError) as error:
        print(name, type(error).__name__, error)
