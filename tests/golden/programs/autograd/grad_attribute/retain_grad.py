import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
y.retain_grad()
z = y ** 2
z.sum().backward()
print(y.grad, x.grad, y.retains_grad)
