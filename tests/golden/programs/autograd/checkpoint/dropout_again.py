import torch
torch.manual_seed(0)
from torch.utils.checkpoint import checkpoint
x = torch.ones(8, requires_grad=True)
for ur in (True, False):
    torch.manual_seed(3)
    y = checkpoint(lambda t: torch.nn.functional.dropout(t * 2, 0.5), x, use_reentrant=ur)
    x.grad = None
    y.sum().backward()
    print(torch.equal(y.detach(), x.grad), torch.rand(1).item() != 0)
torch.manual_seed(3)
y = checkpoint(lambda t: t * torch.rand(8), x, use_reentrant=False, preserve_rng_state=True)
x.grad = None
r = torch.rand(2)
y.sum().backward()
print(torch.equal(y.detach(), x.grad), torch.equal(torch.rand(2), torch.rand(2)))
