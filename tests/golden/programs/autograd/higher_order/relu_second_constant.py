import torch
x = torch.tensor([1.5, -1., 2.], requires_grad=True)
g, = torch.autograd.grad((torch.relu(x) * 1.5).sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad((g * g).sum(), x))
