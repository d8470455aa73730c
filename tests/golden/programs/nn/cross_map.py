# Normalisation across channels, with PyTorch's own windows.
import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
m = nn.CrossMapLRN2d(3, alpha=0.5, beta=0.75, k=1.); print(m)
x = torch.randn(1, 5, 2, 2, requires_grad=True)
y = m(x); print(y); y.pow(2).sum().backward(); print(x.grad)
