import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 2
y[1] = 0
print(y)
y.backward(torch.tensor([-1., -2., -3.]))
print(x.grad)
