import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.zeros(2)
y[0] = x[0]
print(y.grad_fn.name(), x[0].grad_fn.name(), (x * 2).grad_fn.name())
