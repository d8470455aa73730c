import torch
x = torch.tensor([[1., 1.], [2., 1.]], requires_grad=True)
x.min().backward()
print(x.grad)
x.grad = None
x.min(dim=1)[0].sum().backward()
print(x.grad)
x.grad = None
torch.minimum(x, x.t()).sum().backward()
print(x.grad)
