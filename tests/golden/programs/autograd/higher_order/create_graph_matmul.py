import torch
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
b = torch.tensor([[5., 6.], [7., 8.]], requires_grad=True)
c = (a @ b) ** 2
ga, gb = torch.autograd.grad(c.sum(), (a, b), create_graph=True)
print(ga)
print(gb)
(ga.sum() + gb.sum()).backward()
print(a.grad)
print(b.grad)
