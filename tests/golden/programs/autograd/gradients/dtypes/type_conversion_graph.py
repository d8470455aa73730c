import torch
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
y = x.float()
print(y.grad_fn, y.dtype)
z = y.double() * x
z.sum().backward()
print(x.grad)
print(x.to(torch.float32).to(torch.float64).grad_fn)
