import torch
from torch.optim.lr_scheduler import _LRScheduler
class Poly(_LRScheduler):
    def __init__(self, optimizer, total, power=0.9, last_epoch=-1):
        self.total = total; self.power = power
        super(Poly, self).__init__(optimizer, last_epoch)
    def get_lr(self):
        return [b * (1 - self.last_epoch / self.total) ** self.power for b in self.base_lrs]
o = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
s = Poly(o, 10)
for _ in range(3):
    o.step(); s.step(); print(s.get_last_lr())
