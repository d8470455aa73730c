import torch
x = torch.tensor([0., 1.], requires_grad=True)
y = 1 / x
print(y)
y.sum().backward()
print(x.grad)
1 / 0
