import torch
x = torch.tensor(2., requires_grad=True)
y = x * x * x + x / x - x
y.backward()
print(x.grad)
