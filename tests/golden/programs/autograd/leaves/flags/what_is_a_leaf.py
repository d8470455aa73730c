import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * 2).requires_grad_()
print(y.is_leaf)
z = (x * 2).detach().requires_grad_()
print(z.is_leaf)
(y * z).sum().backward()
print(x.grad, z.grad)
a = torch.zeros(2, requires_grad=True) + 1
print(a.is_leaf)
b = torch.zeros(2, requires_grad=True).to(torch.float64)
print(b.is_leaf)
c = torch.zeros(2, requires_grad=True).to(torch.float32)
print(c.is_leaf)
d = torch.zeros(2).to(torch.float64).requires_grad_()
print(d.is_leaf)
e = torch.nn.Parameter(x)
print(e.is_leaf, e.requires_grad, e.data_ptr() == x.data_ptr(), e)
f = torch.nn.Parameter(x * 2)
print(f.is_leaf, f.grad_fn)
g = torch.nn.Parameter(torch.ones(2), requires_grad=False)
print(g.is_leaf, g.requires_grad, g)
try:
    torch.nn.Parameter(torch.tensor([1, 2]))
except RuntimeError as err:
    print(err)
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as err:
    print(err)
try:
    torch.tensor([1, 2]).requires_grad_()
except RuntimeError as err:
    print(err)
h = torch.tensor([1, 2])
try:
    h.requires_grad = True
except RuntimeError as err:
    print(err)
print(torch.tensor([True]).requires_grad_(False).requires_grad)
