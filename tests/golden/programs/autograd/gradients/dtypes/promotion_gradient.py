import torch
x = torch.tensor([1., 2.], requires_grad=True)
d = torch.tensor([3., 4.], dtype=torch.float64, requires_grad=True)
y = x * d
print(y)
y.sum().backward()
print(x.grad, d.grad)
