import torch
w = torch.tensor([1., 2.], requires_grad=True)
x = torch.tensor([3., 4.])
loss = ((w * x).sum() - 1) ** 2
g, = torch.autograd.grad(loss, w, create_graph=True)
(loss + g.pow(2).sum()).backward()
print(w.grad)
