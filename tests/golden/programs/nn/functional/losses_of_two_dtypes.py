import torch
import torch.nn.functional as F


def tried(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def huber(a, b, reduction):
    y = F.huber_loss(a, b, reduction=reduction)
    print(y)
    y.sum().backward()
    return a.grad, b.grad


for reduction in ["none", "mean", "sum"]:
    for d1 in [torch.float32, torch.float64, torch.int64]:
        for d2 in [torch.float32, torch.float64, torch.int64]:
            a = torch.tensor([1.0, 2.0]).to(d1).requires_grad_(d1 != torch.int64)
            b = torch.tensor([1.5, 5.0]).to(d2)
            tried(lambda: huber(a, b, reduction))
a, b = torch.tensor([1.0, 2.0]), torch.tensor([1.5, 5.0], dtype=torch.float64, requires_grad=True)
tried(lambda: huber(a, b, "mean"))
tried(lambda: huber(b, a, "mean"))
for w, p in [(None, b.detach()), (b.detach(), None), (None, None), (a, b.detach())]:
    for x, t in [(a, a / 4), (a.double(), a / 4), (a, a.double() / 4)]:
        print(F.binary_cross_entropy_with_logits(x, t, w, pos_weight=p, reduction="sum").dtype)
c = torch.tensor([1.25], dtype=torch.float64, requires_grad=True)
y = F.binary_cross_entropy_with_logits(c, torch.tensor([0.25]))
y.backward()
print(y, c.grad)
