import torch
z = torch.tensor([1+2j, 3-1j])
c = z.conj()
print(c, c.is_conj(), z.is_conj(), c.conj().is_conj(), c.resolve_conj().is_conj())
print(c.resolve_conj(), c.resolve_conj() is c, z.resolve_conj() is z)
print(torch.is_conj(c), c.is_neg(), c.imag.is_neg(), c.imag, c.imag.resolve_neg().is_neg())
print(c.conj_physical(), c.conj_physical().is_conj(), (c * 1).is_conj(), c.clone().is_conj(), c[0].is_conj(), c.t().is_conj(), c.reshape(1, 2).is_conj(), z.reshape(2, 1).mH.is_conj(), z.reshape(2, 1).adjoint().is_conj(), z.reshape(2, 1).H)
print(c._is_view(), c.data_ptr() == z.data_ptr(), c.is_contiguous(), c.stride())
z[0] = 5 + 5j
print(c, z)
c[1] = 1j
print(z, c)
c += 1
print(z, c)
try:
    print(torch.view_as_real(c))
except Exception as e:
    print(type(e).__name__, e)
try:
    print(c.numpy())
except Exception as e:
    print(type(e).__name__, e)
print(torch.tensor([1., 2.]).conj().is_conj(), torch.tensor([1.]).conj())
w = torch.tensor([1+1j], requires_grad=True)
v = w.conj()
print(v, v.is_conj(), v.grad_fn)
print(v.resolve_conj(), v.conj())
torch.view_as_real(v.resolve_conj()).sum().backward()
print(w.grad)
