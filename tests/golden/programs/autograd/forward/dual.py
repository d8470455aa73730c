import torch
import torch.autograd.forward_ad as fwAD
primal = torch.tensor([1., 2.])
tangent = torch.tensor([10., 20.])
with fwAD.dual_level():
    d = fwAD.make_dual(primal, tangent)
    print(fwAD.unpack_dual(d).tangent is tangent)
    print(fwAD.unpack_dual(primal).tangent)
    y = d ** 2
    p, t = fwAD.unpack_dual(y)
    print(p, t)
    print(fwAD.unpack_dual(d * 3 + primal))
    print(fwAD.unpack_dual(d.sum()).tangent)
    plain = fwAD.make_dual(primal, tangent)
print(fwAD.unpack_dual(d).tangent)
for f in (lambda: fwAD.make_dual(primal, tangent),):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
with fwAD.dual_level():
    for f in (lambda: fwAD.make_dual(primal, torch.ones(3)), lambda: fwAD.make_dual(torch.tensor([1]), torch.tensor([1])), lambda: fwAD.make_dual(primal, tangent.double()), lambda: fwAD.make_dual(primal, torch.tensor([1, 2])), lambda: fwAD.make_dual(primal, None)):
        try:
            print(f())
        except Exception as e:
            print(type(e).__name__, e)
try:
    with fwAD.dual_level():
        with fwAD.dual_level():
            pass
except Exception as e:
    print(type(e).__name__, e)
fwAD.enter_dual_level()
d = fwAD.make_dual(primal, tangent)
print(d)
fwAD.exit_dual_level()
print(d)
