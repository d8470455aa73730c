import torch
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
r0, r1 = y
try:
    r0.add_(1)
except RuntimeError as e:
    print(e)
(r0 * r1).sum().backward()
print(x.grad)
a, b, c = torch.split(y, 1, dim=1)
print(a.grad_fn, a.output_nr, c.output_nr, a.grad_fn is b.grad_fn)
with torch.no_grad():
    for p in (a, b, c):
        p.zero_()
print(y)
try:
    (y * 1).sum().backward()
    print(x.grad)
except RuntimeError as e:
    print(str(e)[:80])
