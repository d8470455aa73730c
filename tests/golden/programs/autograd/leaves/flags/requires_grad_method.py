import torch
x = torch.tensor([1., 2.])
print(x.requires_grad)
x.requires_grad_()
print(x)
x.requires_grad = False
print(x)
y = torch.ones(2, requires_grad=True) * 2
y.requires_grad = False
