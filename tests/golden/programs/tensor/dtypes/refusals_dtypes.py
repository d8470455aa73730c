import torch
i = torch.tensor([1, 2])
b = torch.tensor([True, False])
f = torch.tensor([1., 2.])
tries = [
    lambda: i.mean(),
    lambda: i.mean(dtype=torch.float32),
    lambda: -b,
    lambda: b - b,
    lambda: f & f,
    lambda: ~f,
    lambda: i @ f,
    lambda: i.mm(i),
    lambda: i.norm(),
    lambda: i ** -1,
    lambda: i // 0,
    lambda: i % 0,
    lambda: torch.exp(i),
    lambda: torch.tensor('x'),
    lambda: torch.tensor([1., 'x']),
    lambda: torch.tensor([[1], [2, 3]]),
    lambda: torch.tensor(None),
    lambda: torch.tensor([1, 2], requires_grad=True),
    lambda: torch.tensor([1, 2], dtype=torch.float64, requires_grad=True),
    lambda: torch.ones(2, dtype=torch.int64, requires_grad=True),
    lambda: torch.zeros(-1),
    lambda: torch.zeros('x'),
    lambda: torch.arange(0, 5, -1),
    lambda: torch.arange(0, 5, 0),
    lambda: torch.linspace(0, 1, -1),
    lambda: f + 'x',
    lambda: f + None,
    lambda: f + [1., 2.],
    lambda: 'x' * f,
    lambda: torch.dot(i, f),
]
for number, attempt in enumerate(tries):
    try:
        print(number, attempt())
    except Exception as error:
        print(number, type(error).__name__, str(error).split('\n')[0])
