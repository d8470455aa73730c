import torch
x = torch.ones(1, 2, 1, requires_grad=True)
print(x.squeeze().shape, x.squeeze(0).shape, x.squeeze(1).shape, x.unsqueeze(-1).shape)
(x.squeeze() * torch.tensor([1., 2.])).sum().backward()
print(x.grad)
