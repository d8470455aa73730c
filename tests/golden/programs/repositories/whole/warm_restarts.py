import math
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR, _LRScheduler
import torch
class CosineAnnealingWarmUp(_LRScheduler):
    def __init__(self, optimizer: torch.optim.Optimizer, first: int, max_lr: float = 0.1, min_lr: float = 0.001, warm: int = 0, last_epoch: int = -1):
        self.first, self.max_lr, self.min_lr, self.warm = first, max_lr, min_lr, warm
        super().__init__(optimizer, last_epoch)
        self.init_lr()
    def init_lr(self):
        self.base_lrs = []
        for g in self.optimizer.param_groups:
            g['lr'] = self.min_lr; self.base_lrs.append(self.min_lr)
    def get_lr(self):
        if self.last_epoch < self.warm:
            return [(self.max_lr - b) * self.last_epoch / self.warm + b for b in self.base_lrs]
        return [b + (self.max_lr - b) * (1 + math.cos(math.pi * (self.last_epoch - self.warm) / (self.first - self.warm))) / 2 for b in self.base_lrs]
    def step(self, epoch=None):
        self.last_epoch += 1
        for g, lr in zip(self.optimizer.param_groups, self.get_lr()): g['lr'] = lr
o = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
s = CosineAnnealingWarmUp(o, 6, warm=2)
for _ in range(5): s.step(); print(round(o.param_groups[0]['lr'], 5))
