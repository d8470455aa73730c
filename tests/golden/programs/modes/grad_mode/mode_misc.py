import torch
x = torch.tensor([1., 2.], requires_grad=True)
class M:
    @torch.no_grad()
    def f(self, t):
        return t * 2
    @staticmethod
    @torch.no_grad()
    def g(t):
        return t * 3
    @classmethod
    @torch.enable_grad()
    def h(cls, t):
        return t * 4
m = M()
print(m.f(x).requires_grad, M.g(x).requires_grad, M.h(x).requires_grad)
print(m.f.__name__)
ng = torch.no_grad()
with ng:
    with ng:
        print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
prev = torch.is_grad_enabled()
torch.set_grad_enabled(False)
try:
    y = x * 2
    y.backward(torch.ones(2))
except RuntimeError as e:
    print(e)
finally:
    torch.set_grad_enabled(prev)
try:
    with torch.no_grad():
        raise ValueError("x")
except ValueError:
    print(torch.is_grad_enabled())
with torch.no_grad():
    p = torch.nn.Parameter(torch.ones(2))
    z = torch.zeros(2, requires_grad=True)
    print(p.requires_grad, z.requires_grad, (p + z).requires_grad, p.clone().requires_grad)
    v = p.view(2)
    v += 1
print(p)
f = torch.no_grad()(lambda t: t + 1)
print(f(x))
print(torch.set_grad_enabled(True), repr(torch.no_grad())[:8] != "")
with torch.set_grad_enabled(mode=False):
    print((x * 1).requires_grad)
