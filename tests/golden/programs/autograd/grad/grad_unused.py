import torch
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([3., 4.], requires_grad=True)
print(torch.autograd.grad(x.sum(), [x, w], allow_unused=True))
print(torch.autograd.grad(x.sum(), [x, w], materialize_grads=True))
torch.autograd.grad(x.sum(), [w])
