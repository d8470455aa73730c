import torch
a = torch.tensor([1., 2., 3.], requires_grad=True)
b = a.clone()
b[1:] = b[:-1].clone()
print(b)
b.sum().backward()
print(a.grad)
b = a.clone()
try:
    b[1:] = b[:-1]
    print(b)
except RuntimeError as e:
    print(e)
try:
    b[1:].add_(b[:-1])
    print(b)
except RuntimeError as e:
    print(e)
try:
    b[1:].copy_(b[:-1])
    print(b)
except RuntimeError as e:
    print(e)
b.add_(b)
print(b, b.grad_fn)
