import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
y.zero_()
print(y)
y.sum().backward()
print(x.grad)
y = torch.zeros(2)
y.fill_(3)
print(y)
