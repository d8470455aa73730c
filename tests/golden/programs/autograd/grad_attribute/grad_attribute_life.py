import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
print(y.grad)
y.retain_grad()
print(y.grad, y.retains_grad)
y.sum().backward()
print(y.grad)
y2 = x * 2
y2.sum().backward()
print(y2.grad)
print(x.grad.requires_grad, x.grad.grad_fn, x.grad.is_leaf)
x.grad.zero_()
print(x.grad, x.grad._version)
x.grad += 1
print(x.grad)
x.grad = None
print(x.grad)
