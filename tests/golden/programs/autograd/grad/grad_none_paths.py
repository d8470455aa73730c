import torch
a = torch.tensor(1., requires_grad=True)
b = torch.tensor(2., requires_grad=True)
c = torch.tensor(3., requires_grad=True)
y = a * 2 + b.detach() * 3
y.backward()
print(a.grad, b.grad, c.grad)
print(torch.autograd.grad(a * b, (a, b, c), allow_unused=True))
out = torch.autograd.grad([a * b, b * c], [a, b, c])
print(out)
z = torch.where(torch.tensor(True), a, b)
z.backward()
print(a.grad, b.grad)
w = (a * 0 + b)
w.backward()
print(a.grad, b.grad)
l = torch.stack([a, b, c])
l[1:].sum().backward()
print(a.grad, b.grad, c.grad)
print([p.grad is None for p in (a, b, c)])
t = a + b
t.retain_grad()
u = t.detach() * 2
print(t.grad)
try:
    u.backward()
except RuntimeError as e:
    print(e)
print((a.item() * b).requires_grad, torch.tensor([a, b]).requires_grad)
s = torch.zeros(1)
for p in (a, b, c):
    s += p
s.backward()
print(s, a.grad)
s = 0
for p in (a, b):
    s = s + p ** 2
print(s, type(s))
