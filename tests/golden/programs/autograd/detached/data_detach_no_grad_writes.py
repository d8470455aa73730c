import torch
x = torch.ones(2, 2, requires_grad=True)
y = x * 1
y2 = y.view(4)
y3 = y2[1:3]
y3.data.fill_(7.)
print(y, y._version, y3._version)
y3.detach().fill_(8.)
print(y, y._version, y3.grad_fn.name())
with torch.no_grad():
    y3.fill_(9.)
print(y, y._version, y.grad_fn.name(), y3.grad_fn.name())
y3.fill_(10.)
print(y._version, y.grad_fn.name(), y3.grad_fn.name())
y.sum().backward()
print(x.grad)
