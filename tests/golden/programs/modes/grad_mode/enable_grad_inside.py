import torch
x = torch.tensor(2., requires_grad=True)
with torch.no_grad():
    with torch.enable_grad():
        y = x ** 2
    print(y.requires_grad)
y.backward()
print(x.grad)
