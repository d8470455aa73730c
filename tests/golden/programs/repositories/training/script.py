import torch
@torch.jit.script
def f(x):
    return x * torch.tanh(x)
x = torch.ones(2, requires_grad=True)
f(x).sum().backward(); print(x.grad)
