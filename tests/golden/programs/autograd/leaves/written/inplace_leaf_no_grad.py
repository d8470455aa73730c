import torch
x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    x += 1
    x[0] = 10
print(x, x._version)
