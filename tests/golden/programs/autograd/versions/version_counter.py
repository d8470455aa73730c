import torch
x = torch.ones(2)
print(x._version)
x.add_(1); x[0] = 5; x *= 2
print(x._version)
v = x.view(2, 1)
v.zero_()
print(x._version, v._version)
d = x.detach()
d += 1
print(x._version, d._version)
da = x.data
da += 1
print(x._version, da._version)
c = x.clone()
print(c._version)
w = torch.ones(2, requires_grad=True)
with torch.no_grad():
    w.add_(1)
print(w._version)
w.data.add_(1)
print(w._version)
y = w * w
with torch.no_grad():
    w.zero_()
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
torch.autograd.graph.increment_version(x)
print(x._version)
n = x.numpy()
n[0] = 3
print(x, x._version)
x.requires_grad_()
x.copy_ if False else None
z = torch.zeros(3)
z.fill_(2).add_(1).mul_(2)
print(z, z._version)
z.set_ if False else None
z.resize_(3) if False else None
a, b = z.split([1, 2])
a.add_(1)
print(z._version, b._version, b._base is z)
