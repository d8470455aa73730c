import torch
x = torch.ones(4)
with torch.inference_mode():
    v = x[:2]
    print(v.is_inference(), v._is_view(), v._base is x)
    w = x.clone()
    print(w.is_inference())
x.add_(1)
try:
    v.add_(1)
    print(v)
except RuntimeError as e:
    print(e)
y = v * torch.ones(2, requires_grad=True)
print(y.requires_grad)
try:
    w.add_(1)
except RuntimeError as e:
    print(e)
try:
    w * torch.ones(4, requires_grad=True)
except RuntimeError as e:
    print(e)
z = w + torch.ones(4, requires_grad=True)
print(z.requires_grad)
a = torch.ones(4, requires_grad=True)
b = a * 2
with torch.inference_mode():
    c = b[1:]
    print(c.requires_grad, c.is_inference())
try:
    c.mul_(2)
except RuntimeError as e:
    print(e)
b.mul_(3)
try:
    print(c)
    c.mul_(2)
except RuntimeError as e:
    print(e)
try:
    print(c * 2)
except RuntimeError as e:
    print(e)
b.sum().backward()
print(a.grad)
