import torch

x = torch.tensor([[1., 2., 3.],
                  [4., 5., 6.]], requires_grad=True)
row = torch.tensor([10., 20., 30.], requires_grad=True)
scale = torch.tensor(2., requires_grad=True)

y = x * row + scale
y.backward(torch.ones_like(y))

# What was stretched on the way forward is summed on the way back.
print(x.grad)
print(row.grad)
print(scale.grad)
