import torch
torch.manual_seed(0)
Wx = torch.tensor([[0.1, 0.2], [0.3, 0.4]], requires_grad=True)
Wh = torch.eye(2, requires_grad=True)
b = torch.zeros(2, requires_grad=True)
h = torch.zeros(1, 2)
xs = torch.arange(6.).view(3, 1, 2)
hs = []
for x in xs:
    h = torch.tanh(x @ Wx + h @ Wh + b)
    h.retain_grad()
    hs.append(h)
loss = sum(h.pow(2).sum() for h in hs)
loss.backward()
print(loss)
for p in (Wx, Wh, b):
    print(p.grad)
for i, h in enumerate(hs):
    print(i, h.grad)
h = torch.zeros(1, 2)
for t, x in enumerate(xs):
    h = torch.tanh(x @ Wx + h.detach() @ Wh + b)
h.sum().backward()
print(Wh.grad)
h = torch.zeros(1, 2)
try:
    for x in xs:
        h = torch.tanh(x @ Wx + h @ Wh + b)
        h.sum().backward()
except RuntimeError as e:
    print(e)
