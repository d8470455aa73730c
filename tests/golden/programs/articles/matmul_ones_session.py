import torch
a = torch.tensor([[1.,2],[3,4]], requires_grad=True)
b = torch.tensor([[1.,2,3],[4,5,6]], requires_grad=True)
c = a.mm(b)
c.backward(torch.ones_like(c))
print("Out[3]: ", a.grad, sep="\n")
print("Out[4]: ", b.grad, sep="\n")
print(a.grad)
print(b.grad)
