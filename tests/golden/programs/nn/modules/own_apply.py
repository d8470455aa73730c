import torch
from torch import nn
class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.l=nn.Linear(2,2); self.codes=torch.ones(3); self.register_buffer('b',torch.zeros(2))
    def _apply(self, fn, recurse=True):
        super()._apply(fn)
        self.codes=fn(self.codes)
        return self
v=nn.Sequential(VQ(), nn.Linear(2,1)).double(); print(v[0].codes.dtype, v[1].weight.dtype, v[0].b.dtype)
v.to(torch.float16); print(v[0].codes.dtype, v[0].l.bias.dtype)
m=nn.Linear(1,1)
print(m._apply(lambda t: t*0+7).weight, m.bias.requires_grad)
for bad in (lambda t: 3, lambda t: None):
    try: m._apply(bad); print('?')
    except Exception as e: print(type(e).__name__)
print(m.weight)
