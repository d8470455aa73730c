import torch
a = torch.tensor([1., 5., 2.], requires_grad=True)
b = torch.tensor([3., 5., 1.], requires_grad=True)
y = torch.max(a, b)
print(y)
y.sum().backward()
print(a.grad, b.grad)
