import torch
from torch import nn
class Res(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(d, d, bias=False) for _ in range(n))
        self.scales = nn.ParameterList([nn.Parameter(torch.tensor(0.5)) for _ in range(n)])
        self.heads = nn.ModuleDict({'a': nn.Linear(d, 1), 'b': nn.Linear(d, 2)})
        for l in self.layers: nn.init.eye_(l.weight)
    def forward(self, x, head='a'):
        for l, s in zip(self.layers, self.scales): x = x + s * torch.relu(l(x))
        return self.heads[head](x)
r = Res(2, 2)
print(r)
print([n for n, _ in r.named_parameters()])
out = r(torch.ones(1, 2), head='b'); print(out.shape)
out.sum().backward()
print({n: p.grad is not None for n, p in r.named_parameters()})
print(r.scales[0].grad is not None, len(r.layers), r.layers[-1], 'a' in r.heads)
print(r.scales, r.heads['b'].out_features)
r.layers.append(nn.Linear(2, 2)); print(len(r.layers), len(list(r.parameters())))
r.heads.pop('b'); print(r.heads)
try:
    r(torch.ones(1, 2), head='b')
except KeyError as e:
    print('KeyError', e)
for name, mod in r.named_modules(): print(repr(name), type(mod).__name__)
r.register_buffer('scale', torch.ones(1)); print(r.scale, 'scale' in r.state_dict())
print(sorted(r.state_dict())[:3])
missing = r.load_state_dict({'scale': torch.tensor([2.])}, strict=False); print(missing, r.scale)
r.load_state_dict({'scale': torch.zeros(2)})
