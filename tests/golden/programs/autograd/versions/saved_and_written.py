import torch
x = torch.tensor([4., 9.], requires_grad=True)
y = x.sqrt()
z = y.detach()
z += 1
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
y = x.sqrt()
y2 = y * y
y += 1
try:
    y2.sum().backward()
except RuntimeError as e:
    print(e)
y = x.sqrt()
y = y + 1
y.sum().backward()
print(x.grad)
y = x * 2
w = y.relu()
y.neg_()
w.sum().backward()
print(x.grad)
w = (x * 2).relu()
w.mul_(0)
w.sum().backward()
