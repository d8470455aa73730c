import torch
x = torch.arange(6., requires_grad=True)
y = x.clone()
v = y.view(2, 3)
v[0].mul_(10)
print(y)
print(v.grad_fn, y.grad_fn, v)
w = v[1]
w += 1
print(w.grad_fn, y.grad_fn.next_functions[0][0], v.grad_fn)
y.sum().backward()
print(x.grad)
a = torch.ones(3, requires_grad=True) * 2
b = a[:2]
a.mul_(3)
print(b, b.grad_fn)
b.sum().backward()
c = torch.ones(2, 2, requires_grad=True).clone()
d = c.t()
d[0, 1] = 7
print(c, d, c._version, d._version)
e = c.diagonal()
e.zero_()
print(c, e)
f = c.expand(3, 2, 2)
try:
    f.add_(1)
except RuntimeError as err:
    print(err)
g = c.unsqueeze(0)
g.fill_(4)
print(c, g.grad_fn)
