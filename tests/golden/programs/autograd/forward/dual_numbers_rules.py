import torch
import torch.autograd.forward_ad as fwAD
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
x = torch.tensor([1., 2.])
t = torch.tensor([1., 10.])
with fwAD.dual_level():
    d = fwAD.make_dual(x, t)
    print(d)
    y = d ** 2
    print(y)
    p, q = fwAD.unpack_dual(y)
    print(p, q)
    u = fwAD.unpack_dual(y)
    print(u)
    print(type(u), u.primal, u.tangent)
    print(fwAD.unpack_dual(x))
    attempt(lambda: fwAD.make_dual(x, torch.ones(3)))
    attempt(lambda: fwAD.make_dual(x, torch.ones(2).double()))
    attempt(lambda: fwAD.make_dual(torch.tensor([1, 2]), torch.tensor([1, 2])))
    attempt(lambda: fwAD.make_dual(3., t))
    attempt(lambda: fwAD.make_dual(d, t))
    attempt(lambda: fwAD.dual_level().__enter__())
    print(fwAD.unpack_dual(torch.sin(d) * d.sum()).tangent)
    z = d.detach()
    print(fwAD.unpack_dual(z).tangent)
attempt(lambda: fwAD.make_dual(x, t))
attempt(lambda: fwAD.unpack_dual(x))
print(fwAD.unpack_dual(d))
print(fwAD.enter_dual_level())
print(fwAD.make_dual(x, t))
fwAD.exit_dual_level()
attempt(lambda: fwAD.exit_dual_level())
w = torch.tensor([3., 4.], requires_grad=True)
with fwAD.dual_level():
    d = fwAD.make_dual(w, t)
    print(d)
    y = (d * d).sum()
    print(y)
    tg = fwAD.unpack_dual(y).tangent
    print(torch.autograd.grad(tg, w))
