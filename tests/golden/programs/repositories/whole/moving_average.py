import torch, copy
from torch import nn
from torch.nn.parallel import DataParallel, DistributedDataParallel
class EMA(nn.Module):
    def __init__(self, model, decay=0.9, device=None):
        super().__init__()
        self.module = copy.deepcopy(model); self.module.eval(); self.decay = decay
    @torch.no_grad()
    def update(self, model):
        for e, m in zip(self.module.state_dict().values(), model.state_dict().values()):
            e.copy_(self.decay * e + (1. - self.decay) * m)
def unwrap(m): return m.module if isinstance(m, (nn.DataParallel, DistributedDataParallel)) else m
torch.manual_seed(0)
m = nn.DataParallel(nn.Linear(2, 1)); e = EMA(unwrap(m))
with torch.no_grad(): m.module.weight.add_(1)
e.update(m.module); print(e.module.weight, unwrap(m))
