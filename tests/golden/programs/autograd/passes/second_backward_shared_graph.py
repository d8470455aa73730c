import torch
x = torch.tensor([1., 2.], requires_grad=True)
h = x.exp()
a = h.sum()
b = (h * 2).sum()
a.backward()
print(x.grad)
b.backward()
