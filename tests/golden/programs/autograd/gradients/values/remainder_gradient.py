import torch
x = torch.tensor([5., -7.], requires_grad=True)
y = x % 3
print(y)
y.sum().backward()
print(x.grad)
