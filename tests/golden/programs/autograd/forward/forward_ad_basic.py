import torch
import torch.autograd.forward_ad as fwAD
x = torch.tensor([1., 2.])
t = torch.tensor([1., 0.])
with fwAD.dual_level():
    d = fwAD.make_dual(x, t)
    out = d ** 2
    p, tan = fwAD.unpack_dual(out)
    print(p, tan)
    print(fwAD.unpack_dual(x).tangent)
