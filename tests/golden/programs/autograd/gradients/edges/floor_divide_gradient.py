import torch
x = torch.tensor([5., 7.], requires_grad=True)
y = x // 2
print(y)
y.sum().backward()
