import torch

x = torch.tensor([1., 2.], requires_grad=True)
y = x.exp()  # exp keeps its result: it is its own derivative
y += 1       # and here it is overwritten
y.sum().backward()
