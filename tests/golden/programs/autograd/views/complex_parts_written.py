"""Writes through the parts of complex numbers, through conjugates, and through complex views of real numbers."""
import torch


def refused(write):
    try:
        write()
    except RuntimeError as error:
        print(error)


w = torch.zeros(3, dtype=torch.complex64)
w.real = torch.tensor([1.0, 2.0, 3.0])
w.imag = torch.tensor(2.0)
print(w)
r = torch.zeros(3)
r.real = torch.ones(3)
print(r)
refused(lambda: setattr(r, "imag", torch.ones(3)))
refused(lambda: setattr(w, "real", torch.ones(4)))
leaf = torch.zeros(2, dtype=torch.complex64, requires_grad=True)
refused(lambda: setattr(leaf, "real", torch.ones(2)))

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
z = torch.complex(a, b)
z.real.mul_(2)
z.imag.copy_(a * b)
print(z.grad_fn.name(), z)
(z.real * z.imag).sum().backward()
print(a.grad, b.grad)

v = torch.zeros(3, dtype=torch.complex64)
v.real = a
torch.view_as_real(v)[:, 1].add_(b)
(v * v.conj()).real.sum().backward()
print(a.grad, b.grad)

x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
y = x * 1
c = y.conj()
c.mul_(torch.tensor([1 + 2j, 3.0]))
i = y.conj().imag
i.mul_(2)
print(type(c.grad_fn).__name__, type(i.grad_fn).__name__, y, c, i)
(c.real + i**2).sum().backward()
print(x.grad)

pairs = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
doubled = pairs * 2
numbers = torch.view_as_complex(doubled)
numbers *= 1j
numbers[0] = 3
print(type(doubled.grad_fn).__name__, type(numbers.grad_fn).__name__)
doubled.sum().backward()
print(pairs.grad)

x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
y = x * x
real, imag, both = y.real, y.imag, torch.view_as_real(y)
y.mul_(2)
print(type(real.grad_fn).__name__, type(both.grad_fn).__name__)
real.pow_(2)
(g,) = torch.autograd.grad((real + 3 * imag + both.sum(-1)).sum(), x, create_graph=True)
print(g)
(g.real + g.imag).sum().backward()
print(x.grad)
