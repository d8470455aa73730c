import torch
import torch.nn as nn

torch.manual_seed(19)
w = nn.Parameter(torch.randn(2, 2))
base = torch.optim.SGD([w], lr=0.1, weight_decay=0.01)
x, y = torch.randn(3, 2), torch.randn(3, 2)
for it in range(2):
    loss = ((x @ w).sin() - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        e = 0.05 * w.grad / (w.grad.norm() + 1e-12)
        w.add_(e)
    w.grad = None
    ((x @ w).sin() - y).pow(2).mean().backward()
    with torch.no_grad():
        w.sub_(e)
    base.step()
    base.zero_grad()
    print(it, loss.item())
