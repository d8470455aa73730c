import torch
from torch import nn
from einops.layers.torch import Rearrange, Reduce
print(Rearrange('b c h w -> b (c h w)'), Rearrange('b (c d) -> b c d', c=2), Reduce('b c -> b', 'mean'), Reduce('b (c d) -> b c', 'max', d=2))
for f in (lambda: Rearrange('a b -> a'), lambda: Rearrange('a b -> b a')(torch.ones(2)), lambda: Reduce('a b -> c', 'sum'), lambda: Rearrange('... a -> a ...')(torch.ones(2,3))):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e).replace('\n', '|'))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 6), Rearrange('b (h d) -> b h d', h=2), Reduce('b h d -> b d', 'mean'))
    def forward(self, x): return self.body(x)
torch.manual_seed(0)
n = Net(); print(n); n(torch.ones(2, 4)).sum().backward(); print(n.body[0].weight.grad, list(n.state_dict()))
