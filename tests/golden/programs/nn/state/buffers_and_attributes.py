import torch
from torch import nn
class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('n', torch.zeros((), dtype=torch.long))
        self.steps = []
    def forward(self, x):
        self.n += 1
        self.steps.append(x.sum().item())
        return x * self.n
c = Counter()
for i in range(3): print(c(torch.tensor([1., i])))
print(c.n, c.steps, c.state_dict(), c)
c2 = Counter(); c2.load_state_dict(c.state_dict()); print(c2.n, c2.n is c.n)
print(c.double().n.dtype, c.n.requires_grad, list(c.parameters()), len(list(c.buffers())))
c.n = torch.tensor(10); print(c.n, 'n' in c._buffers)
c.extra = nn.Parameter(torch.ones(1)); print(list(dict(c.named_parameters())))
c.extra = None; print(list(c.parameters()), c.extra, c._parameters)
del c.extra
print(hasattr(c, 'extra'), hasattr(c, 'n'), isinstance(c, nn.Module), callable(c), c.training, type(c).__name__, c._get_name())
print([m for m in c.modules()], c.n.device, vars(c).keys() >= {'training'})
c.sub = nn.Linear(1, 1); c.sub2 = c.sub
print(len(list(c.named_modules())), [n for n, _ in c.named_modules()], [n for n, _ in c.named_modules(remove_duplicate=False)], len(list(c.children())))
c.undefined
