import torch
from torch import nn
from einops import rearrange, repeat
from einops.layers.torch import Rearrange
def pair(t): return t if isinstance(t, tuple) else (t, t)
class FeedForward(nn.Module):
    def __init__(self, dim, hidden, dropout=0.):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, dim))
    def forward(self, x): return self.net(x)
class Attention(nn.Module):
    def __init__(self, dim, heads=2, dim_head=4):
        super().__init__()
        inner = dim_head * heads; self.heads = heads; self.scale = dim_head ** -0.5
        self.norm = nn.LayerNorm(dim); self.attend = nn.Softmax(dim=-1)
        self.to_qkv = nn.Linear(dim, inner * 3, bias=False); self.to_out = nn.Linear(inner, dim)
    def forward(self, x):
        x = self.norm(x)
        q, k, v = map(lambda t: rearrange(t, 'b n (h d) -> b h n d', h=self.heads), self.to_qkv(x).chunk(3, dim=-1))
        out = torch.matmul(self.attend(torch.matmul(q, k.transpose(-1, -2)) * self.scale), v)
        return self.to_out(rearrange(out, 'b h n d -> b n (h d)'))
class ViT(nn.Module):
    def __init__(self, *, image_size, patch_size, num_classes, dim, depth, mlp_dim, channels=1):
        super().__init__()
        ih, iw = pair(image_size); ph, pw = pair(patch_size)
        n = (ih // ph) * (iw // pw); pd = channels * ph * pw
        self.embed = nn.Sequential(Rearrange('b c (h p1) (w p2) -> b (h w) (p1 p2 c)', p1=ph, p2=pw), nn.LayerNorm(pd), nn.Linear(pd, dim), nn.LayerNorm(dim))
        self.pos = nn.Parameter(torch.randn(1, n + 1, dim)); self.cls = nn.Parameter(torch.randn(1, 1, dim))
        self.layers = nn.ModuleList([nn.ModuleList([Attention(dim), FeedForward(dim, mlp_dim)]) for _ in range(depth)])
        self.head = nn.Linear(dim, num_classes)
    def forward(self, img):
        x = self.embed(img); b, n, _ = x.shape
        x = torch.cat((repeat(self.cls, '1 1 d -> b 1 d', b=b), x), dim=1); x += self.pos[:, :(n + 1)]
        for a, f in self.layers: x = a(x) + x; x = f(x) + x
        return self.head(x[:, 0])
torch.manual_seed(0)
v = ViT(image_size=4, patch_size=2, num_classes=3, dim=8, depth=1, mlp_dim=8)
y = v(torch.randn(2, 1, 4, 4)); print(y); y.sum().backward(); print(v.cls.grad.norm(), v.embed)
