import torch
x = torch.tensor([1., 2.], dtype=torch.double, requires_grad=True)
y = x.sum() / 3
print(y)
y.backward()
print(x.grad)
