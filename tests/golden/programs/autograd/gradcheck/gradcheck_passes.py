import torch
class Const(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return (x ** 2).sum()
    @staticmethod
    def backward(ctx, g): return 2 * ctx.saved_tensors[0]
class NoneFails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False); return x * 3
    @staticmethod
    def backward(ctx, g):
        if g is None: raise RuntimeError("no gradient")
        return g * 3
class NoneGives(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False); return x * 3
    @staticmethod
    def backward(ctx, g):
        return torch.ones(2, dtype=torch.float64) if g is None else g * 3
x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
for f in (Const, NoneFails, NoneGives):
    try: print(torch.autograd.gradcheck(f.apply, x))
    except RuntimeError as e: print(type(e).__name__, e)
    print(torch.autograd.gradcheck(f.apply, x, raise_exception=False))
print(torch.autograd.gradcheck(NoneFails.apply, x, check_undefined_grad=False))
torch.manual_seed(0)
print(torch.autograd.gradgradcheck(lambda a, b: (a * b, a.exp()), (x, x.detach().clone().requires_grad_())))
print(torch.rand(2))
z = torch.tensor([1 + 2j], dtype=torch.complex128, requires_grad=True)
print(torch.autograd.gradcheck(lambda t: (t * t.conj(), t.abs()), (z,)))
print(torch.autograd.gradgradcheck(lambda t: t ** 2, (z,)))
class Drop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 1
    @staticmethod
    def backward(ctx, g): return g * torch.rand(1, dtype=torch.float64) * 1e-9 + g
print(torch.autograd.gradcheck(Drop.apply, x, raise_exception=False), torch.autograd.gradcheck(Drop.apply, x, nondet_tol=1e-6))
y = (x * 2)
print(torch.autograd.gradcheck(lambda t: t ** 2, y))
with torch.no_grad():
    try: print(torch.autograd.gradcheck(lambda t: t ** 2, x))
    except RuntimeError as e: print(e)
