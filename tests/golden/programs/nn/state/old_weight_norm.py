"""Weight norm and spectral norm as hooks."""
import torch
import torch.nn as nn

torch.manual_seed(0)
m = nn.utils.weight_norm(nn.Linear(2, 3), name="weight")
print(m, [name for name, _ in m.named_parameters()], m.weight_g.shape)
m(torch.ones(1, 2)).sum().backward()
print(m.weight_g.grad, m.weight_v.grad)
nn.utils.remove_weight_norm(m)
print([name for name, _ in m.named_parameters()])
s = nn.utils.spectral_norm(nn.Linear(2, 3))
print(list(s.state_dict()), s(torch.ones(1, 2)))
nn.utils.remove_spectral_norm(s)
print(list(s.state_dict()))
try:
    nn.utils.remove_weight_norm(s)
except ValueError as error:
    print(error)
