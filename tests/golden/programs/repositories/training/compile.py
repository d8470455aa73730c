import torch
@torch.compile(backend="eager")
def f(x): return torch.sin(x) + torch.cos(x)
x = torch.ones(2, requires_grad=True)
f(x).sum().backward(); print(x.grad)
