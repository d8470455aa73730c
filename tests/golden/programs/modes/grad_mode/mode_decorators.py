import torch
@torch.no_grad()
def f(x):
    """doc"""
    return x * 2, torch.is_grad_enabled()
@torch.no_grad
def g(x):
    return x * 2
@torch.enable_grad()
def h(x):
    return x * 2
@torch.set_grad_enabled(False)
def k(x):
    return x * 3
print(torch.is_grad_enabled())
x = torch.ones(1, requires_grad=True)
print(f(x), g(x), f.__name__, f.__doc__)
with torch.no_grad():
    print(h(x).requires_grad)
print(k(x).requires_grad, (x * 2).requires_grad)
