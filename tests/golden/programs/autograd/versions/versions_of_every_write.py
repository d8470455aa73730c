import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 2
print(y._version)
y.add_(1); print(y._version, y.grad_fn)
y += 1; print(y._version, y.grad_fn)
y[0] = 4.; print(y._version, y.grad_fn)
y.data[1] = 0; print(y._version)
y.detach()[1] = 0; print(y._version)
with torch.no_grad():
    y.mul_(2)
print(y._version, y.grad_fn)
with torch.inference_mode():
    y.mul_(2)
print(y._version, y.grad_fn)
y.requires_grad_()
print(y._version)
y.copy_(x); print(y._version, y.grad_fn)
y.zero_(); print(y._version, y.grad_fn, y.requires_grad)
y.sum().backward()
print(x.grad)
