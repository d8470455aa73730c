import torch
base = torch.ones(4, requires_grad=True)
x = base * 1
with torch.no_grad():
    v = x.view(2, 2)
    a, b = x.split(2)
print(v.requires_grad, v.is_leaf, v.grad_fn)
print(a.requires_grad, a.is_leaf)
for t, n in [(v, "v"), (a, "a")]:
    try:
        t.mul_(2)
        print(n, "ok", t)
    except RuntimeError as e:
        print(n, e)
with torch.no_grad():
    v.mul_(3)
    print(x, v)
print(x, v)
w = x[1:]
with torch.no_grad():
    w += 1
print(w)
y = base * 2
with torch.no_grad():
    z = y[0:2]
y.add_(1)
print(y)
try:
    print(z.grad_fn)
    print(z)
except RuntimeError as e:
    print(e)
