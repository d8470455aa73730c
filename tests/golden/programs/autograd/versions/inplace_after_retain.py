import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
y.sum().backward(retain_graph=True)
with torch.no_grad():
    x.mul_(2)
y.sum().backward()
