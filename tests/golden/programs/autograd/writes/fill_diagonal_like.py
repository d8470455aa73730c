import torch
a = torch.tensor(2., requires_grad=True)
m = torch.zeros(2, 2)
m[0, 1] = a
m[1, 0] = -a
out = m @ torch.tensor([1., 3.])
print(out)
out.sum().backward()
print(a.grad)
