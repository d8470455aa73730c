import torch

x = torch.tensor([[1., 2.],
                  [3., 4.]], requires_grad=True)
z = torch.tensor([[1., 0.1],
                  [0.01, 0.001]])

y = 3 * x
y.backward(z)
by_argument = x.grad

# The same gradient from a scalar: the sum of y weighed by z.
x.grad = None
m = torch.sum(3 * x * z)
m.backward()

print(m)
print(by_argument)
print(x.grad)
