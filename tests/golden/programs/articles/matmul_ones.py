import torch
a = torch.tensor([[1.,2],[3,4]], requires_grad=True)
b = torch.tensor([[1.,2,3],[4,5,6]], requires_grad=True)
c = a.mm(b)
c.backward(torch.ones_like(c))
a.grad
b.grad
print(a.grad)
print(b.grad)
