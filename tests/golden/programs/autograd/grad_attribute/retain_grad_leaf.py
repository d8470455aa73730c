import torch
x = torch.tensor([1., 2.], requires_grad=True)
x.retain_grad()
(x * 2).sum().backward()
print(x.grad)
