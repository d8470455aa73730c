import torch
x = torch.ones(2, requires_grad=True)
y = (x + 1).sum()
y.backward()
y.backward()
print(x.grad)
z = (x * 2).sum()
z.backward()
try:
    z.backward()
except RuntimeError as e:
    print(str(e)[:60])
print(x.grad)
