"""Lists and dictionaries of modules and parameters."""
from collections import OrderedDict

import torch
import torch.nn as nn

torch.manual_seed(0)
s = nn.Sequential(OrderedDict([("a", nn.Linear(2, 2)), ("act", nn.ReLU())]))
print(s, s.a, s[1], s[0:1], len(s))
s.append(nn.Tanh())
s.insert(1, nn.Identity())
s.extend([nn.Sigmoid()])
print(s)
print(nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh()), nn.Sequential(nn.ReLU()) * 2)
del s[0]
print([name for name, _ in s.named_children()], s.pop(0), len(s))
l = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)] + [nn.ReLU()])
print(l, l[-1], l[:2], len(l + [nn.Tanh()]))
l[0] = nn.Linear(2, 1)
l.insert(1, nn.Dropout())
print(l.pop(2), len(l), nn.ReLU in [type(m) for m in l])
d = nn.ModuleDict({"x": nn.Linear(1, 2), "y": nn.ReLU()})
d["z"] = nn.Tanh()
d.update({"w": nn.Identity()})
print(d, list(d.keys()), "x" in d, d.pop("y"), len(d))
for name, module in d.items():
    print(name, module)
p = nn.ParameterList([nn.Parameter(torch.ones(2)), torch.zeros(2, 2)])
p.append(torch.ones(1))
print(p, p[0], len(p), p[-1], len(p[1:]))
q = nn.ParameterDict({"w": nn.Parameter(torch.ones(2)), "b": torch.zeros(1)})
q["c"] = torch.ones(1, 1)
print(q, list(q), "w" in q, q.pop("b"), q.get("none"), len(q))
print([name for name, _ in nn.ModuleList([p, q]).named_parameters()])
for call in (lambda: l[9], lambda: d["none"], lambda: l(1), lambda: d(1), lambda: p(1), lambda: q(1), lambda: l.append(3)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
