import torch
x = torch.ones(2, requires_grad=True)
@torch.no_grad()
def f(a):
    return a * 2
@torch.no_grad
def f2(a):
    return a * 2
@torch.enable_grad()
def g(a):
    return a * 3
@torch.inference_mode()
def h(a):
    return a * 4
@torch.inference_mode
def h2(a):
    return a * 4
@torch.set_grad_enabled(False)
def k(a):
    return a * 5
print(f(x), f2(x), g(x), h(x), h2(x), k(x))
print(torch.is_grad_enabled())
with torch.no_grad():
    print(g(x), torch.is_grad_enabled())
    with torch.enable_grad():
        print(f(x), torch.is_grad_enabled())
    with torch.set_grad_enabled(True):
        print((x + 1).requires_grad)
torch.set_grad_enabled(False)
print((x + 1).requires_grad)
torch.set_grad_enabled(True)
print((x + 1).requires_grad)
@torch.no_grad()
def gen(a):
    for i in range(2):
        print("in", torch.is_grad_enabled())
        yield a * i
for v in gen(x):
    print("out", torch.is_grad_enabled(), v.requires_grad)
@torch.no_grad()
class C:
    def m(self, a):
        return a * 2
