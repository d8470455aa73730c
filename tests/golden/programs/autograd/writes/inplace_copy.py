import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.zeros(2)
y.copy_(x * 3)
print(y)
y.sum().backward()
print(x.grad)
