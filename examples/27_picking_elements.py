import torch

x = torch.tensor([3., -1., 2., -5.], requires_grad=True)
y = x[x > 0].sum() + x[[0, 0]].sum() + x.max()

# 3 is picked by the mask, twice by the list, and as the maximum.
y.backward()
print(x.grad)
