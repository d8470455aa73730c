import torch

x = torch.ones(2, 2, requires_grad=True)
y = x + 1

# y has four elements: one weight for each.
y.backward(torch.ones(2, 2))
print(x.grad)
