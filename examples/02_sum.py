import torch

x = torch.ones(2, 2, requires_grad=True)
print(x.grad_fn, x.grad)  # a leaf, and nothing has reached it yet

y = x.sum()
print(y, y.grad_fn is None)

# y is a single number, so its gradient is 1 without being told.
y.backward()
print(x.grad)
