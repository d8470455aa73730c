import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
g, = torch.autograd.grad((a ** 3).sum(), a, create_graph=True)
(g ** 2).sum().backward()
opt = torch.optim.Rprop([a], lr=0.1)
opt.step()
a.grad.zero_()
opt.zero_grad()
print(a)
