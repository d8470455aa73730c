import torch
x = torch.tensor(2., requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
print(torch.autograd.grad(x * 2, (x, y), materialize_grads=True))
