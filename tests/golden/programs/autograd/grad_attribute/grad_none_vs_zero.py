import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([1., 2.], requires_grad=True)
(x * 0).sum().backward()
print(x.grad, y.grad)
