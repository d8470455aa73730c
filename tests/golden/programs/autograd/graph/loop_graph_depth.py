import torch
x = torch.tensor(1.0, requires_grad=True)
y = x
for i in range(2000):
    y = y * 1.001
y.backward()
print(y, x.grad)
