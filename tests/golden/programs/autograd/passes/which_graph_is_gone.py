import torch
x = torch.ones(2, requires_grad=True)
y = x * x
loss = y.sum()
loss.backward(retain_graph=True)
loss.backward(retain_graph=True)
print(x.grad)
loss.backward()
print(x.grad)
try:
    loss.backward()
except RuntimeError as e:
    print(e)
try:
    y.backward(torch.ones(2))
except RuntimeError as e:
    print(str(e)[:40])
(y + 0).sum()
z = y * 1
try:
    z.sum().backward()
except RuntimeError as e:
    print(str(e)[:40])
a = x.exp()
l1, l2 = a.sum(), a.mean()
l1.backward()
try:
    l2.backward()
except RuntimeError as e:
    print(str(e)[:40])
b = x + 1
l1, l2 = b.sum(), b.mean()
l1.backward(); l2.backward()
print(x.grad)
