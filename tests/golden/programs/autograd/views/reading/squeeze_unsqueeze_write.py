import torch
x = torch.ones(3, requires_grad=True)
y = x * 1
u = y.unsqueeze(0)
u += torch.tensor([[1.], [2.]]).sum()
s = u.squeeze(0)
s[1] = 0
print(y, u.grad_fn, s.grad_fn)
y.sum().backward()
print(x.grad)
