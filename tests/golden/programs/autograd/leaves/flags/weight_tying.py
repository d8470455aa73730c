import torch
from torch import nn
torch.manual_seed(0)
enc = nn.Linear(2, 3, bias=False)
dec = nn.Linear(3, 2, bias=False)
with torch.no_grad():
    enc.weight.copy_(torch.arange(6.).view(3, 2))
dec.weight = nn.Parameter(enc.weight.t())
print(dec.weight is enc.weight, dec.weight.is_leaf)
w = enc.weight
x = torch.ones(1, 2)
y = (x @ w.t()) @ w
print(y)
y.sum().backward()
print(w.grad)
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.Linear(2, 2)
        self.b.weight = self.a.weight
    def forward(self, x):
        return self.b(self.a(x))
m = Tied()
print(len(list(m.parameters())), [n for n, _ in m.named_parameters()])
with torch.no_grad():
    for p in m.parameters():
        p.fill_(0.5)
m(torch.ones(1, 2)).sum().backward()
print(m.a.weight.grad, m.b.weight.grad is m.a.weight.grad)
