import torch
x = torch.ones(2, requires_grad=True)
y = x * 3
print(y.grad_fn(torch.ones(2)))
z = y.exp()
print(z.grad_fn(torch.ones(2)), y.sum().grad_fn(torch.tensor(1.)))
