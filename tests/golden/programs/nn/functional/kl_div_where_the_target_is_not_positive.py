import torch
import torch.nn.functional as F

for reduction in ["sum", "none", "batchmean"]:
    x = torch.tensor([[0.25, -0.5, 0.75, 0.5]], requires_grad=True)
    t = torch.tensor([[0.0, 1.0, -0.5, float("inf")]], requires_grad=True)
    y = F.kl_div(x, t, reduction=reduction)
    y.sum().backward()
    print(y, x.grad, t.grad)
