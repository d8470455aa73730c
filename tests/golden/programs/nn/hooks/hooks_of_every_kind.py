import torch
from torch import nn
m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
with torch.no_grad():
    m[0].weight.copy_(torch.eye(2)); m[0].bias.zero_()
h1 = m[0].register_forward_hook(lambda mod, inp, out: print('fwd', type(mod).__name__, inp, out))
h2 = m[0].register_forward_pre_hook(lambda mod, inp: print('pre', inp))
h3 = m[1].register_full_backward_hook(lambda mod, gi, go: print('bwd', gi, go))
h4 = m[1].register_full_backward_pre_hook(lambda mod, go: print('bpre', go))
h5 = m[0].register_full_backward_hook(lambda mod, gi, go: print('bwd0', gi, go))
x = torch.tensor([[1., -2.]], requires_grad=True)
y = m(x)
print(y)
y.sum().backward()
print(x.grad)
for h in (h1, h2, h3, h4, h5): h.remove()
print(m(x))
h = m[0].register_forward_hook(lambda mod, i, o: o * 10)
print(m(x)); h.remove()
h = m[0].register_forward_pre_hook(lambda mod, i: (i[0] * 100,))
print(m(x)); h.remove()
h = m[0].register_forward_pre_hook(lambda mod, i: i[0] * 100)
print(m(x)); h.remove()
h = m[1].register_full_backward_hook(lambda mod, gi, go: (gi[0] * 2,))
x.grad = None
m(x).sum().backward(); print(x.grad); h.remove()
h = m[1].register_full_backward_pre_hook(lambda mod, go: (go[0] * 3,))
x.grad = None
m(x).sum().backward(); print(x.grad); h.remove()
class K(nn.Module):
    def forward(self, x, scale=1, *, shift=0):
        return x * scale + shift
k = K()
k.register_forward_pre_hook(lambda mod, a, kw: print('pre', a, kw), with_kwargs=True)
k.register_forward_hook(lambda mod, a, kw, o: print('post', a, kw, o), with_kwargs=True)
print(k(x, 2, shift=1))
k2 = K()
k2.register_forward_pre_hook(lambda mod, a, kw: (a, {'shift': 5}), with_kwargs=True)
print(k2(x, scale=3))
k2.register_forward_hook(lambda *a: print('first'))
k2.register_forward_hook(lambda *a: print('prepended'), prepend=True)
k2.register_forward_hook(lambda *a: print('always'), always_call=True)
k2(x)
try:
    k2(x, 'a', 3, 4)
except Exception as e:
    print(type(e).__name__, e)
k3 = K()
k3.register_forward_pre_hook(lambda mod, a, kw: 3, with_kwargs=True)
try:
    k3(x)
except Exception as e:
    print(type(e).__name__, e)
with h1:
    pass
print(h1, type(h1).__name__, h1.id >= 0)
