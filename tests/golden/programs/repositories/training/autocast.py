import torch
with torch.amp.autocast('cuda'):
    print(torch.mm(torch.ones(2,2), torch.ones(2,2)).dtype, torch.is_autocast_enabled())
@torch.autocast('cuda')
def f(x): return x + 1
print(f(torch.ones(1)))
