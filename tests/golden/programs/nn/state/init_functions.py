import torch
from torch import nn
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
torch.manual_seed(0)
w = torch.empty(2, 3)
for f in (lambda: nn.init.uniform_(w), lambda: nn.init.normal_(w), lambda: nn.init.constant_(w, 0.3), lambda: nn.init.ones_(w), lambda: nn.init.zeros_(w), lambda: nn.init.eye_(w),
          lambda: nn.init.xavier_uniform_(w), lambda: nn.init.xavier_normal_(w, gain=2.), lambda: nn.init.kaiming_uniform_(w, a=1), lambda: nn.init.kaiming_normal_(w, mode='fan_out', nonlinearity='relu'),
          lambda: nn.init.orthogonal_(w).shape, lambda: nn.init.sparse_(w, 0.5), lambda: nn.init.trunc_normal_(w), lambda: nn.init.dirac_(torch.empty(2, 2, 3)), lambda: nn.init.dirac_(w), lambda: nn.init.eye_(torch.ones(2)),
          lambda: nn.init.xavier_uniform_(torch.ones(2)), lambda: nn.init.kaiming_uniform_(torch.ones(2)), lambda: nn.init.orthogonal_(torch.ones(2)), lambda: nn.init.sparse_(torch.ones(2), 0.5), lambda: nn.init.kaiming_uniform_(w, mode='foo'), lambda: nn.init.kaiming_uniform_(w, nonlinearity='foo'),
          lambda: nn.init.calculate_gain('relu'), lambda: nn.init.calculate_gain('leaky_relu', 0.2), lambda: nn.init.calculate_gain('tanh'), lambda: nn.init.calculate_gain('foo'), lambda: nn.init.calculate_gain('leaky_relu', 'a'), lambda: nn.init.calculate_gain('selu'), lambda: nn.init.calculate_gain('linear'),
          lambda: nn.init.uniform(w), lambda: nn.init.trunc_normal_(w, mean=5., a=-1, b=1), lambda: nn.init.kaiming_uniform_(torch.empty(0, 2)), lambda: nn.init.xavier_normal_(torch.empty(2, 2, 2)), lambda: nn.init.dirac_(torch.empty(4, 2, 3), groups=2), lambda: nn.init.dirac_(torch.empty(3, 2, 3), groups=2)):
    attempt(f)
p = nn.Parameter(torch.ones(2))
print(nn.init.zeros_(p), p.requires_grad, p._version)
print(nn.init._calculate_fan_in_and_fan_out(w))
