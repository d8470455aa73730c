import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
z = (y.detach() * x).sum()
z.backward()
print(y.detach(), x.grad)
print(y.detach().requires_grad, y.detach().is_leaf, y.is_leaf, x.is_leaf)
