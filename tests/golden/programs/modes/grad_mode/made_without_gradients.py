import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
with torch.no_grad():
    y = x * 2
    z = x.view(3)
    w = x.detach()
    v = x[0]
    s = x.sum()
for n, t in dict(y=y, z=z, w=w, v=v, s=s).items():
    print(n, t.requires_grad, t.is_leaf, t.grad_fn, t._is_view(), t._base is x)
y.requires_grad_()
(y * x).sum().backward()
print(x.grad, y.grad)
k = z * 2
print(k.requires_grad, k.grad_fn)
try:
    k.sum().backward()
except RuntimeError as e:
    print(e)
try:
    z.sum().backward()
except RuntimeError as e:
    print(e)
print(x.grad)
