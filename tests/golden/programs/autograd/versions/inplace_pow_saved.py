import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
y.pow_(2)
print(y, y.grad_fn)
y.mul_(y)
print(y)
y.sum().backward()
print(x.grad)
