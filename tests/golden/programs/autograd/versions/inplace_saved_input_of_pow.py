import torch
x = torch.tensor([1., 2.], requires_grad=True)
h = x * 1
y = h ** 2
h.add_(1)
print(h._version)
y.sum().backward()
