import torch
x = torch.tensor([0., 1., 4., -1.], requires_grad=True)
y = x.log()
z = x.sqrt()
print(y, z)
(y + z).sum().backward()
print(x.grad)
