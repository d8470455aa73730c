import torch
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from torch import nn
calls = []
def f(a, b):
    calls.append(torch.is_grad_enabled())
    return (a * b).sin()
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True)
for mode in (True, False):
    calls.clear(); a.grad = b.grad = None
    out = checkpoint(f, a, b, use_reentrant=mode)
    print(out)
    out.sum().backward()
    print(a.grad, b.grad, calls)
try:
    out = checkpoint(f, a, b, use_reentrant=True)
    torch.autograd.grad(out.sum(), a)
except RuntimeError as e:
    print(e)
print(torch.autograd.grad(checkpoint(f, a, b, use_reentrant=False).sum(), a))
out = checkpoint(f, a.detach(), b.detach(), use_reentrant=True)
print(out.requires_grad)
model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
for p in model.parameters():
    nn.init.constant_(p, 0.5)
x = torch.ones(1, 2, requires_grad=True)
y = checkpoint_sequential(model, 2, x, use_reentrant=False)
y.backward()
print(y, x.grad)
state = {"n": 0}
def bad(t):
    state["n"] += 1
    return t.sin() if state["n"] == 1 else t.sin().cos().exp()
try:
    checkpoint(bad, a, use_reentrant=False).sum().backward()
except Exception as e:
    print(type(e).__name__, e)
state["n"] = 0
def bad2(t):
    state["n"] += 1
    return t.sin() if state["n"] == 1 else t[:1].sin()
try:
    checkpoint(bad2, a, use_reentrant=False).sum().backward()
except Exception as e:
    print(type(e).__name__, e)
try:
    checkpoint(f, a, b, use_reentrant=True, foo=3)
except Exception as e:
    print(type(e).__name__, e)
o = checkpoint(lambda t: (t * 2, "s", t + 1), a, use_reentrant=False)
print(o)
