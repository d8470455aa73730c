import torch
from torch.optim.optimizer import Optimizer
class Mine(Optimizer):
    def __init__(self, params, lr=1e-3):
        super().__init__(params, dict(lr=lr))
    @torch.no_grad()
    def step(self, closure=None):
        for g in self.param_groups:
            for p in g['params']:
                if p.grad is not None:
                    p.add_(p.grad, alpha=-g['lr'])
w = torch.ones(3, requires_grad=True)
o = Mine([w], 0.1)
(w**2).sum().backward(); o.step(); print(w, o)
