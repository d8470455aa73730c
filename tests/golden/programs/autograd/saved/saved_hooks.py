import torch
from torch.autograd.graph import saved_tensors_hooks, save_on_cpu, disable_saved_tensors_hooks
def pack(t):
    print("pack", t.tolist(), t.grad_fn)
    return t.numpy() if False else t
def unpack(t):
    print("unpack", t.tolist())
    return t
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True) * 2
with saved_tensors_hooks(pack, unpack):
    y = a * b
    z = y.exp()
    w = (z * 2).sum()
w.backward()
print(a.grad)
with save_on_cpu():
    (a * a).sum().backward()
print(a.grad)
with save_on_cpu(pin_memory=False):
    (a ** 3).sum().backward()
print(a.grad)
try:
    with disable_saved_tensors_hooks("no hooks here"):
        with saved_tensors_hooks(pack, unpack):
            pass
except RuntimeError as e:
    print(e)
with saved_tensors_hooks(lambda t: t * 2, lambda t: t):
    (a * a).sum().backward()
print(a.grad)
try:
    with saved_tensors_hooks(lambda t: None, lambda t: 3):
        (a * a).sum().backward()
except Exception as e:
    print(type(e).__name__, e)
with saved_tensors_hooks(lambda t: (t.detach().clone(), "meta"), lambda p: p[0]):
    with saved_tensors_hooks(lambda t: t, lambda t: t):
        q = a.tanh()
q.sum().backward()
print(a.grad)
class Disk:
    def __init__(self): self.store = []
    def pack(self, t):
        self.store.append(t.detach()); return len(self.store) - 1
    def unpack(self, i): return self.store[i]
d = Disk()
with saved_tensors_hooks(d.pack, d.unpack):
    r = (a.sin() * a.cos()).prod()
print(len(d.store))
r.backward()
print(a.grad)
