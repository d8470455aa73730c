import torch
a = torch.ones(2, dtype=torch.float16, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c = a * b
print(c.dtype)
c.sum().backward()
print(a.grad, b.grad)
d = a + 1.5
print(d.dtype, d)
i = torch.ones(2, dtype=torch.int32)
print((b * i).dtype, (i / 2).dtype, (i * 2.0).dtype, (a * 2.0).dtype)
