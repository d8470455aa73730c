import torch
from torch.utils.checkpoint import checkpoint
w = torch.tensor([2., 3.], requires_grad=True)
def block(x):
    print("forward", torch.is_grad_enabled())
    return x * w
x = torch.tensor([1., 2.], requires_grad=True)
y = checkpoint(block, x, use_reentrant=True)
print(y)
y.sum().backward()
print(x.grad, w.grad)
