import torch

torch.manual_seed(20)
theta = torch.randn(2, requires_grad=True)
x = torch.randn(4, 2)
for meta in range(2):
    total = 0.0
    for task in range(2):
        y = x @ torch.tensor([float(task), 1.0])
        inner = (x @ theta - y).pow(2).mean()
        (g,) = torch.autograd.grad(inner, theta, create_graph=True)
        fast = theta - 0.1 * g
        outer = (x @ fast - y).pow(2).mean()
        outer.backward()
        total += outer.item()
    theta.data = theta.data - 0.05 * theta.grad
    theta.grad.detach_()
    theta.grad.zero_()
    print(meta, round(total, 4))
