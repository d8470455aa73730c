import math
import torch
from torch.optim.optimizer import Optimizer, required
class RAdam(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):
        if not 0.0 <= lr: raise ValueError("Invalid learning rate: {}".format(lr))
        defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, buffer=[[None, None, None] for _ in range(10)])
        super(RAdam, self).__init__(params, defaults)
    def __setstate__(self, state):
        super(RAdam, self).__setstate__(state)
    def step(self, closure=None):
        loss = None
        if closure is not None: loss = closure()
        for group in self.param_groups:
            for p in group['params']:
                if p.grad is None: continue
                grad = p.grad.data.float()
                p_data = p.data.float()
                state = self.state[p]
                if len(state) == 0:
                    state['step'] = 0
                    state['exp_avg'] = torch.zeros_like(p_data)
                    state['exp_avg_sq'] = torch.zeros_like(p_data)
                b1, b2 = group['betas']
                state['exp_avg_sq'].mul_(b2).addcmul_(grad, grad, value=1 - b2)
                state['exp_avg'].mul_(b1).add_(grad, alpha=1 - b1)
                state['step'] += 1
                p_data.add_(state['exp_avg'], alpha=-group['lr'])
                p.data.copy_(p_data)
        return loss
torch.manual_seed(0)
m = torch.nn.Linear(2, 1)
o = RAdam(m.parameters(), lr=0.1)
for _ in range(3):
    o.zero_grad(); l = m(torch.ones(1, 2)).pow(2).sum(); l.backward(); o.step(); print(round(l.item(), 4))
