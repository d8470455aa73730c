import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
y.retain_grad()  # without this only leaves keep a gradient
z = y ** 2

z.backward(torch.ones(2))
print(y.grad)
print(x.grad)
