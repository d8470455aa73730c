import torch
x = torch.tensor([0., 1.], requires_grad=True)
(x.sqrt().sum()).backward()
print(x.grad)
y = torch.tensor([0., 1.], requires_grad=True)
torch.where(y > 0, y.log(), torch.zeros(2)).sum().backward()
print(y.grad)
