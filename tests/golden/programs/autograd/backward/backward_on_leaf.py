import torch
x = torch.tensor(2., requires_grad=True)
x.backward()
print(x.grad)
x.backward(torch.tensor(3.))
print(x.grad)
y = torch.ones(2, requires_grad=True)
try:
    y.backward()
except RuntimeError as e:
    print(e)
y.backward(torch.tensor([1., 2.]))
print(y.grad)
c = torch.tensor(1.)
try:
    c.backward()
except RuntimeError as e:
    print(e)
with torch.no_grad():
    z = x * 2
try:
    z.backward()
except RuntimeError as e:
    print(e)
try:
    (x * 2).detach().backward()
except RuntimeError as e:
    print(e)
try:
    torch.tensor([1, 2]).sum().backward()
except RuntimeError as e:
    print(e)
o = torch.ones(1, 1, requires_grad=True)
(o * 2).backward()
print(o.grad)
(o * 2).backward(torch.ones(1, 1))
try:
    (o * 2).backward(torch.tensor(1.))
except RuntimeError as e:
    print(e)
x.grad = None
with torch.no_grad():
    w = x * 3
    print(w.requires_grad)
l = x * 4
with torch.no_grad():
    l.backward()
print(x.grad)
(x > 1).float().requires_grad
try:
    (x > 1).float().backward()
except RuntimeError as e:
    print(e)
x.argmax() if False else None
try:
    torch.argmax(torch.stack([x, x])).backward()
except RuntimeError as e:
    print(e)
try:
    torch.round(x).backward()
    print(x.grad)
except RuntimeError as e:
    print(e)
torch.tensor(x.item() * 2, requires_grad=True).backward()
torch.tensor(x, requires_grad=True)
