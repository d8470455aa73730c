import numpy as np, math
import torch, torch.nn as nn, torch.nn.functional as F
class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.d = d; self.q = nn.Linear(d, d); self.k = nn.Linear(d, d); self.v = nn.Linear(d, d)
        self.scale = np.sqrt(d)
    def forward(self, x, mask=None):
        s = torch.matmul(self.q(x), self.k(x).transpose(-1, -2)) / np.sqrt(self.d)
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e9)
        return F.softmax(s, dim=-1) @ self.v(x) / self.scale
def pe(n, d):
    angle = lambda pos, i: pos / np.power(10000, (2 * (i // 2)) / np.float32(d))
    rads = angle(np.arange(n)[:, np.newaxis], np.arange(d)[np.newaxis, :])
    rads[:, 0::2] = np.sin(rads[:, 0::2]); rads[:, 1::2] = np.cos(rads[:, 1::2])
    return torch.from_numpy(rads).float()
torch.manual_seed(0)
x = torch.randn(1, 3, 4) + pe(3, 4)
mask = torch.from_numpy(np.triu(np.ones((1, 3, 3)), k=1).astype("uint8")) == 0
m = Attn(4); out = m(x, mask); out.sum().backward()
print(out, m.q.weight.grad.abs().sum() < 10, m.scale)
