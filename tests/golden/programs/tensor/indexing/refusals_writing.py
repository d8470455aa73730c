import torch
a = torch.zeros(2, 3)
def write(key, value):
    a[key] = value
tries = [
    lambda: write(0, torch.ones(2)),
    lambda: write(2, 1.),
    lambda: write((0, 5), 1.),
    lambda: write(slice(0, 1), torch.ones(2, 3)),
    lambda: write(a > 0, torch.ones(2)),
    lambda: write([0, 1], torch.ones(4)),
    lambda: write(0, [1., 2., 3.]),
    lambda: write(0, 'x'),
    lambda: a.add_(torch.ones(3, 3)),
    lambda: a.copy_(torch.ones(2)),
    lambda: a.fill_(torch.ones(2)),
    lambda: torch.tensor([1, 2]).add_(1.5),
    lambda: torch.tensor([1, 2]).div_(2),
    lambda: torch.tensor([1, 2]).exp_(),
    lambda: torch.tensor([True]).add_(1),
    lambda: torch.ones(3).expand(2, 3).add_(1),
]
for number, attempt in enumerate(tries):
    try:
        print(number, attempt())
    except Exception as error:
        print(number, type(error).__name__, error)
print(a)
