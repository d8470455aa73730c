import torch
x = torch.tensor([-2., -1., 0., 1., 2.], requires_grad=True)
y = x.clamp(-1, 1)
print(y)
y.sum().backward()
print(x.grad)
x.grad = None
x.clamp(min=0).sum().backward()
print(x.grad)
print(torch.clamp(x, max=0.5))
