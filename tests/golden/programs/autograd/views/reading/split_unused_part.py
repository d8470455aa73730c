import torch
x = torch.arange(5., requires_grad=True)
a, b, c = x.split(2)
print([t.shape for t in (a, b, c)])
(a.sum() + 3 * c.sum()).backward()
print(x.grad)
