import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = torch.zeros(2, 3)
y[0] = x
y[1] = y[0] * 2
y[0, 1] = y[1, 2] ** 2
print(y)
y.backward(torch.ones(2, 3))
print(x.grad)
