import torch
z = torch.tensor([[1+2j, 3-1j], [0.5j, -2]])
h = z.H
print(h.is_conj(), z.mH.is_conj(), z.T.is_conj(), z.conj().T.is_conj(), z.conj().conj() is z, z.conj().conj()._base is z)
print(h @ z, (z.conj() @ z).is_conj(), z.conj().sum(), z.conj().real, z.conj().imag)
h[0, 1] = 9 + 9j
print(z)
z.conj().mul_(2j); print(z)
c = z.conj(); c.zero_(); print(z, c)
v = torch.tensor([1+1j, 2-2j]); w = v.conj(); a, b = w.unbind(); print(a, a.is_conj(), b.item(), w.tolist(), complex(a))
print(w.split(1)[0].is_conj(), w.chunk(2)[1], torch.stack([w, v]).is_conj(), w.expand(2, 2).is_conj(), w.unsqueeze(0), w.flip(0).is_conj(), w[torch.tensor([0])].is_conj(), w[w.abs() > 2], w.view(2, 1).is_conj(), w.flatten().is_conj(), w.contiguous().is_conj(), w.contiguous() is w)
print(w.storage_offset(), w._version, v._version, w.untyped_storage().data_ptr() == v.untyped_storage().data_ptr(), w.shape, w.dtype, w.numel(), w.element_size())
print(torch.equal(w, v.conj_physical()), w == v.conj(), torch.allclose(w, v.conj()), w.to(torch.complex128), w.to(torch.complex128).is_conj(), w.clone(), w.detach().is_conj(), w.data.is_conj())
n = w.imag; print(n.is_neg(), n._is_view(), n.resolve_neg().is_neg(), n * 2, n.sum(), n[0].is_neg(), n.tolist(), n.clone().is_neg()); n[0] = 7.; print(v, w)
print(torch.conj(v).is_conj(), torch.resolve_conj(w).is_conj(), torch.is_conj(w), torch.view_as_real(w.resolve_conj()))
print(torch.tensor([1., 2.]).conj().is_conj(), torch.tensor([1]).is_neg(), w.conj_physical().is_conj(), w.real.is_neg(), w.abs().is_conj(), (-w).is_conj(), (-w).is_neg())
try:
    torch.view_as_real(w)
except RuntimeError as e: print(e)
try:
    n.numpy()
except RuntimeError as e: print(e)
print(type(w), isinstance(w, torch.Tensor), w.__class__.__name__)
w.numpy()
