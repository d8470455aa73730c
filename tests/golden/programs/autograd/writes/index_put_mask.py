import torch
x = torch.tensor([1., -2., 3.], requires_grad=True)
y = x * 1
y[y < 0] = 0
print(y)
y.sum().backward()
print(x.grad)
