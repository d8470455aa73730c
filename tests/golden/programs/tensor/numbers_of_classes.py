# Members of an IntEnum and of an IntFlag are the numbers that they are.
import torch, enum
import torch.nn as nn, torch.nn.functional as F
class R(enum.IntEnum):
    A = 0
    B = 1
    C = 2
class G(enum.IntFlag):
    P = 1
    Q = 2
x = torch.arange(6).view(2, 3); f = x.float().requires_grad_()
def t(g):
    try: print(g())
    except Exception as e: print(type(e).__name__, e)
for g in (lambda: x == R.C, lambda: R.C == x, lambda: x + R.B, lambda: R.B + x, lambda: f * R.C, lambda: R.C * f, lambda: f ** R.C, lambda: R.C ** x, lambda: x[R.B], lambda: x[:, R.C], lambda: torch.zeros(R.C), lambda: torch.tensor(R.C), lambda: torch.tensor([R.A, R.C]), lambda: x.sum(R.B), lambda: x.sum(dim=R.B), lambda: torch.full((2,), R.C), lambda: F.one_hot(torch.tensor([R.A, R.B]), R.C), lambda: x.eq(R.C), lambda: torch.where(x == R.B, R.C, x), lambda: f.clamp(R.A, R.C), lambda: x.view(R.C, 3), lambda: nn.Linear(R.C, R.B).weight.shape, lambda: nn.Embedding(len(R), R.C)(torch.tensor(R.A)).shape, lambda: x.fill_(R.C), lambda: torch.arange(R.C), lambda: x / R.C, lambda: x >> R.B, lambda: x & G.Q, lambda: x.masked_fill(x == 2, R.A), lambda: f.pow(R.C).sum(), lambda: torch.randn(R.C, 2).shape, lambda: x.select(R.B, R.A), lambda: x.transpose(R.A, R.B).shape, lambda: torch.stack([x, x], dim=R.B).shape, lambda: x.unsqueeze(R.A).shape, lambda: x.size(R.B), lambda: torch.cat([x, x], R.B).shape, lambda: x.repeat(R.C, 1).shape, lambda: x % R.C, lambda: x // R.C, lambda: -R.C * f, lambda: x.add(x, alpha=R.C), lambda: torch.pow(R.C, f), lambda: x.new_full((1,), R.C), lambda: torch.eye(R.C), lambda: torch.linspace(R.A, R.C, 3), lambda: x.long() == R.B.value, lambda: f.mean(R.A), lambda: f.softmax(R.B), lambda: torch.randint(R.C, (2,)).shape, lambda: torch.mul(f, R.C), lambda: nn.Dropout(R.A)(f), lambda: f[R.A, R.B].item()):
    t(g)
x[R.A] = R.C; print(x); x[x == R.C] = R.A; print(x)
x += R.B; print(x)
f.mul(R.C).sum().backward(); print(f.grad)
