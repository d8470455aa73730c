import torch
x = torch.tensor([-2., 0., 2.], requires_grad=True)
e = torch.tensor([2., 0., 3.], requires_grad=True)
y = x ** e
print(y, x ** 3, x ** 0, x.pow(2), x ** 0.5)
y.sum().backward()
print(x.grad, e.grad)
