import torch
from torch import nn, einsum
from einops import rearrange, repeat
class Attention(nn.Module):
    def __init__(self, dim, heads=2, dim_head=4):
        super().__init__()
        inner = dim_head * heads
        self.heads = heads; self.scale = dim_head ** -0.5
        self.to_qkv = nn.Linear(dim, inner * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(inner, dim), nn.Dropout(0.))
        self.cls = nn.Parameter(torch.randn(1, 1, dim))
    def forward(self, x):
        x = torch.cat((repeat(self.cls, '1 1 d -> b 1 d', b=x.shape[0]), x), dim=1)
        qkv = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = map(lambda t: rearrange(t, 'b n (h d) -> b h n d', h=self.heads), qkv)
        dots = einsum('b h i d, b h j d -> b h i j', q, k) * self.scale
        out = torch.matmul(dots.softmax(-1), v)
        return self.to_out(rearrange(out, 'b h n d -> b n (h d)'))
torch.manual_seed(0)
m = Attention(8); y = m(torch.randn(2, 3, 8)); y.sum().backward()
print(y[0, 0], m.cls.grad, m.to_qkv.weight.grad.norm())
