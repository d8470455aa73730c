import torch
import torch.nn.functional as F

x = torch.tensor([1 + 2j, 0.5j], requires_grad=True)
print(F.silu(x.detach()))
with torch.no_grad():
    print(F.silu(x))
F.silu(x)
