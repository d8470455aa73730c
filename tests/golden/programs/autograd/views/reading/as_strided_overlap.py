import torch
x = torch.arange(5., requires_grad=True)
v = x.as_strided((3, 3), (1, 1))
print(v, v.grad_fn)
v.sum().backward()
print(x.grad)
