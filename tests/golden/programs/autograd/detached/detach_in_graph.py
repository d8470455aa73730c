import torch
x = torch.tensor(3., requires_grad=True)
y = x * x.detach()
y.backward()
print(x.grad)
print(x.detach().requires_grad, x.data.requires_grad, x.detach().is_leaf)
