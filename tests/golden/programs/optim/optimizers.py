"""The same problem for every optimizer."""

import torch
from torch import optim

makers = [
    lambda p: optim.SGD(p, lr=0.1),
    lambda p: optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.5, maximize=False),
    lambda p: optim.Adam(p, lr=0.1),
    lambda p: optim.Adam(p, lr=0.1, amsgrad=True, weight_decay=0.1),
    lambda p: optim.AdamW(p, lr=0.1),
    lambda p: optim.RMSprop(p, lr=0.1, momentum=0.5, centered=True),
    lambda p: optim.Adagrad(p, lr=0.1, lr_decay=0.1),
    lambda p: optim.Adadelta(p),
]
for make in makers:
    w = torch.tensor([3.0, -2.0], requires_grad=True)
    optimizer = make([w])
    for _ in range(10):
        optimizer.zero_grad()
        loss = (w**2 * torch.tensor([1.0, 3.0])).sum()
        loss.backward()
        optimizer.step()
    print(type(optimizer).__name__, [f"{v:.4f}" for v in w.tolist()], f"{loss.item():.4f}")
print(optimizer)
a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
print(optim.SGD([{"params": [a], "lr": 1.0}, {"params": [b]}], lr=0.1))
for wrong in (lambda: optim.SGD([], 0.1), lambda: optim.SGD([a], -1.0), lambda: optim.SGD([a * 2], 0.1), lambda: optim.Adam(a)):
    try:
        wrong()
    except (ValueError, TypeError) as error:
        print(error)
