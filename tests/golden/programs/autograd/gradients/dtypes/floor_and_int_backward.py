import torch
x = torch.tensor([1.5, -2.5], requires_grad=True)
y = x.floor()
print(y, y.grad_fn)
y.sum().backward()
print(x.grad)
z = x // 2
print(z)
z.sum().backward()
