import torch
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([3., 4.], requires_grad=True)
u = torch.ones(2, requires_grad=True)
y = x * w
print(torch.autograd.grad(y, x, torch.ones(2), retain_graph=True))
print(torch.autograd.grad(y, [x, w], grad_outputs=[torch.tensor([1., 0.])], retain_graph=True))
print(torch.autograd.grad(y.sum(), [x, u], allow_unused=True, retain_graph=True))
print(torch.autograd.grad(y.sum(), [x, u], materialize_grads=True, retain_graph=True))
try:
    torch.autograd.grad(y.sum(), [x, u], retain_graph=True)
except RuntimeError as e:
    print(e)
try:
    torch.autograd.grad(y.sum(), [x, u], allow_unused=False, materialize_grads=True, retain_graph=True)
except Exception as e:
    print(type(e).__name__, e)
print(x.grad)
