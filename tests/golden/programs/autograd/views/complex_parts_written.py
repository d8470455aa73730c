import torch
w = torch.zeros(3, dtype=torch.complex64)
try:
    w.real = 3
except Exception as e: print(type(e), e)
w.real = torch.tensor([1., 2, 3])
w.imag = torch.tensor(2.)
print(w)
r = torch.zeros(3)
r.real = torch.ones(3)
print(r)
try:
    r.imag = torch.ones(3)
except Exception as e: print(type(e), e)
try:
    w.real = torch.ones(4)
except Exception as e: print(type(e), e)
z = torch.zeros(2, dtype=torch.complex64, requires_grad=True)
try:
    z.real = torch.ones(2)
except Exception as e: print(type(e), e)
y = z * 1
c = y.conj()
c.mul_(torch.tensor([1+2j, 3.]))
print(c.grad_fn, y.grad_fn, c, y)
i = y.conj().imag
print(i.grad_fn)
i.mul_(2)
print(i.grad_fn, y.grad_fn, y)
y.abs().sum().backward()
print(z.grad)
with torch.no_grad():
    z += torch.tensor([1+2j, 3-1j])
z.grad = None
y = z * 1
c = y.conj()
c.mul_(torch.tensor([1+2j, 3.]))
i = y.conj().imag
i.mul_(2)
(c.abs() + i ** 2).sum().backward()
print(z.grad, i.grad_fn, c.grad_fn)
x = torch.randn(2, 2, requires_grad=True)
y = x * 2
w = torch.view_as_complex(y)
w *= 1j
w[0] = 3
print(y.grad_fn, w.grad_fn)
y.sum().backward()
print(x.grad)
x = torch.tensor([1.+2j, 3-1j], requires_grad=True)
y = x * x
y.real.pow_(2)
g, = torch.autograd.grad(y.abs().sum(), x, create_graph=True)
print(g)
g.abs().sum().backward()
print(x.grad)
