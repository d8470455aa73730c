import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x.clone()
y[0] = y[1] * y[1]
y[1] *= 3
print(y)
g, = torch.autograd.grad(y.prod(), x, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), x))
b = torch.zeros(3)
b[0] = x[0]
b[1:] = x * 2
print(b, b.requires_grad, b.is_leaf)
b.sum().backward()
print(x.grad)
c = torch.zeros(2, 2)
for i in range(2):
    for j in range(2):
        c[i, j] = x[i] * x[j]
print(c)
x.grad = None
c.sum().backward()
print(x.grad)
d = torch.empty(2)
torch.mul(x, 2, out=d) if False else d.copy_(x * 2)
print(d)
e = x * 1
e.index_add_(0, torch.tensor([0, 0]), torch.ones(2))
e.masked_fill_(e > 2.5, 0)
e.clamp_(min=0.5)
print(e)
e.relu_().sqrt_()
print(e)
x.grad = None
e.sum().backward()
print(x.grad)
