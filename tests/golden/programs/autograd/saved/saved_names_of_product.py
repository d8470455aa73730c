import torch
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
z = x * y
n = z.grad_fn
print(n._saved_self is x, n._saved_other is y)
print(n._raw_saved_self)
print([a for a in dir(n) if not a.startswith('__')])
z.sum().backward()
try:
    n._saved_self
except RuntimeError as e:
    print(e)
