import torch
x = torch.tensor([0.5, -0.5], requires_grad=True)
y = x
for _ in range(50):
    y = torch.sin(y) + x
y.sum().backward()
print(y, x.grad)
