import torch
x = torch.ones(2, requires_grad=True)
s = x.sum(dtype=torch.float64)
print(s, s.dtype)
s.backward()
print(x.grad, x.grad.dtype)
m = torch.ones(2, dtype=torch.int64).sum()
print(m.dtype)
