import torch
from torch import nn
class Lin(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.full((o, i), 0.5)); self.bias = nn.Parameter(torch.zeros(o))
    def forward(self, x): return x @ self.weight.T + self.bias
    def extra_repr(self): return f'in={self.weight.shape[1]}, out={self.weight.shape[0]}'
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Lin(2, 3); self.b = nn.Sequential(Lin(3, 3), nn.ReLU()); self.c = Lin(3, 1); self.drop = nn.Dropout(0.5); self.consts = [1, 2]; self.name = 'net'; self.none = None
    def forward(self, x):
        h = self.b(self.a(x)); return self.c(self.drop(h))
n = Net(); print(n); print(n.a, n.b[0], str(n.c), repr(n.drop))
print([k for k, _ in n.named_children()], [k for k, _ in n.named_modules()])
n.eval(); print(n(torch.ones(1, 2)), n.drop.training, n.b.training)
n.train(); torch.manual_seed(0); print(n(torch.ones(2, 2)))
n.a.requires_grad_(False); print([k for k, p in n.named_parameters() if p.requires_grad])
print(n.get_submodule('b.0').weight.shape, n.get_parameter('c.bias'))
n.b[0] = nn.Identity(); print(n.b)
n.new = nn.Linear(1, 1); print('new' in dict(n.named_children())); del n.new; print(hasattr(n, 'new'))
n.add_module('extra', nn.ReLU()); print(n.extra); n.register_module('extra2', nn.Tanh()); print(list(n._modules))
print(n.__class__.__name__, n.name, n.consts, n.none, dir(n)[-1] is not None, n.state_dict()['a.weight'])
n.a.weight.data.mul_(2); print(n.a.weight)
n.a.weight = n.c.weight; print(n.a.weight is n.c.weight, len(list(n.parameters())))
n.forward = lambda x: x * 3; print(n(torch.ones(1)))
n.b = 3
