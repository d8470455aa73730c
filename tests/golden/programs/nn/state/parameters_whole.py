import torch
from torch import nn
p = nn.Parameter(torch.tensor([1., 2.]))
print(p, p.data, p.detach(), p * 1, p[0], p.clone(), p.requires_grad_(False), p.grad, sep='\n')
q = nn.Parameter(torch.tensor(3.), requires_grad=False); print(q, [q], {'q': q}, (q,), f'{q}', str(q))
class W(nn.Module):
    def __init__(self): super().__init__(); self.p = p
w = W(); w.q = q; print(w.p is p, list(w.parameters()), w.state_dict())
w.p.data = torch.tensor([5., 6., 7.]); print(w.p, w.p.shape)
w.register_parameter('r', nn.Parameter(torch.zeros(1, 2))); print(dict(w.named_parameters())['r'])
with torch.no_grad(): w.r += 1
print(w.r, w.r._version, w.r.is_leaf)
o = torch.optim.SGD(w.parameters(), lr=1.); w.r.grad = torch.ones(1, 2); o.step(); print(w.r)
u = nn.UninitializedParameter(); print(type(u).__name__)
l = nn.LazyLinear(2); print(l, l.weight); l(torch.ones(1, 3)); print(l, l.weight.shape)
b = nn.Buffer(torch.ones(2)); w.b = b; print(list(w.named_buffers()), b)
w.t = torch.ones(1); print('t' in w.state_dict(), w.t)
w.p = 'x'
