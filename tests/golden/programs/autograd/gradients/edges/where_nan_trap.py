import torch
x = torch.tensor([0., 4.], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros(2))
y.sum().backward()
print(y)
print(x.grad)
