import torch
x = torch.tensor([1., 2.], requires_grad=True)
x.grad = torch.tensor([10., 20.])
(x * 2).sum().backward()
print(x.grad)
x.grad = torch.ones(3)
