import torch
x = torch.tensor([1., -2.], requires_grad=True)
def f(t):
    out = torch.zeros(())
    for v in t:
        if v > 0:
            out = out + v * 2
        else:
            out = out - v ** 2
    return out
y = f(x)
print(y)
y.backward()
print(x.grad)
try:
    if x > 0:
        print("yes")
except RuntimeError as e:
    print(e)
try:
    if torch.tensor([]):
        pass
except RuntimeError as e:
    print(e)
print(bool(torch.tensor([3.])), not torch.tensor(0.), int(torch.tensor(3.7)), float(x[0]), round(x[0].item(), 2))
print(x[0] == 1, (x > 0).any(), (x > 0).all(), x[0].item() == 1.0)
print(max(x), min(x), sum(x), sorted(x.tolist()), len(x), abs(x[1]))
n = 0
v = torch.tensor(100., requires_grad=True)
u = v
while u > 1:
    u = u / 3
    n += 1
u.backward()
print(n, u, v.grad)
print([t.grad_fn for t in x], [t.item() for t in x])
a, b = x
print(a, b)
print(x if x.sum() > 0 else -x)
