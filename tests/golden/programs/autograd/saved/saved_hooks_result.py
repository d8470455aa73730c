import torch
x = torch.tensor([0., 1.], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: (print("pack", t), t)[1], lambda t: t):
    y = x.exp()
    z = x + 1
    w = x * 2
(y + w).sum().backward()
print(x.grad)
