"""Five steps of each of the rarer optimizers."""
import torch
import torch.optim as optim


def run(make):
    w = torch.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
    optimizer = make([w])
    for _ in range(5):
        optimizer.zero_grad()
        ((w - 1) ** 2).sum().backward()
        optimizer.step()
    return w, optimizer


for make in (
    lambda p: optim.Adamax(p, lr=0.1), lambda p: optim.NAdam(p, lr=0.1), lambda p: optim.RAdam(p, lr=0.1, weight_decay=0.1),
    lambda p: optim.Rprop(p, lr=0.1), lambda p: optim.ASGD(p, lr=0.1), lambda p: optim.Adafactor(p, lr=0.1),
    lambda p: optim.NAdam(p, lr=0.1, decoupled_weight_decay=True, weight_decay=0.1), lambda p: optim.Adamax(p, maximize=True),
):
    w, optimizer = run(make)
    print(type(optimizer).__name__, w)
    print(optimizer, sorted(optimizer.state[w]))
