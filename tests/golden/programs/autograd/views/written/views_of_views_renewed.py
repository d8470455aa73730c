import torch
a = torch.arange(12., requires_grad=True)
b = a * 1
c = b.view(3, 4)
d = c[1]
e = d[::2]
print(e._base is b, d._base is b, c._base is b, b._base)
e.mul_(10)
for n, t in [('b', b), ('c', c), ('d', d), ('e', e)]:
    print(n, t.grad_fn, t._version, t.is_leaf, t.requires_grad)
e.add_(d[1::2])
for n, t in [('b', b), ('c', c), ('d', d), ('e', e)]:
    print(n, t.grad_fn, t._version, t.tolist())
(b * torch.arange(12.)).sum().backward()
print(a.grad)
d.sum().backward()
