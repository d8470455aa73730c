import torch
x = torch.tensor([[1., 5.], [3., 2.]], requires_grad=True)
x.mean().backward()
print(x.grad); x.grad = None
x.prod().backward()
print(x.grad); x.grad = None
x.max().backward()
print(x.grad); x.grad = None
v, i = x.max(dim=1)
print(v, i)
v.sum().backward()
print(x.grad)
