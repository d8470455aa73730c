import torch
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
y.t()[0] = torch.tensor([7., 8.])
print(y)
y.sum().backward()
print(x.grad)
