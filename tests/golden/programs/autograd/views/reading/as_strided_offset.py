import torch
x = torch.arange(10., requires_grad=True)
y = x[2:]
v = y.as_strided((2, 2), (2, 1), 3)
print(v)
(v * torch.tensor([[1., 2.], [3., 4.]])).sum().backward()
print(x.grad)
v2 = x[4:].as_strided((2,), (1,))
print(v2, v2.storage_offset())
