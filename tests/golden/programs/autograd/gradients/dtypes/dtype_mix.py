import torch
a = torch.tensor([1., 2.], requires_grad=True)
d = torch.tensor([3., 4.], dtype=torch.float64, requires_grad=True)
h = torch.tensor([1., 2.], dtype=torch.float16, requires_grad=True)
s = a * d
print(s.dtype, s)
s.sum().backward()
print(a.grad.dtype, d.grad.dtype, a.grad, d.grad)
m = (a * h)
print(m.dtype)
m.sum().backward()
print(h.grad)
i = torch.tensor([1, 2])
k = (a * i).sum()
k.backward()
print(a.grad)
c = torch.tensor([1 + 1j, 2.], requires_grad=True)
q = (c * a).abs().sum()
a.grad = None
q.backward()
print(q, c.grad, a.grad)
f = a.double()
print(f, f.grad_fn)
f.sum().backward()
print(a.grad.dtype)
b = (a > 1)
print(b, b.requires_grad)
n = a.long()
print(n, n.requires_grad)
try:
    (a * 2).backward(torch.ones(2, dtype=torch.complex64))
except RuntimeError as e:
    print(e)
(a.to(torch.float64) * d).sum().backward()
print(a.to(torch.int32), a.type(torch.float64), a.half(), a.float() is a, a.to(torch.float32) is a)
print(torch.tensor(1.0, requires_grad=True) + torch.tensor([1, 2]))
try:
    x = torch.tensor([1, 2])
    x += a
except RuntimeError as e:
    print(e)
