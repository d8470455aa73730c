import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
try:
    y.backward()
except RuntimeError as e:
    print("caught:", e)
y.sum().backward()
print(x.grad)
