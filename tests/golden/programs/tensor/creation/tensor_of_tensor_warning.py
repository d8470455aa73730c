import torch
x = torch.tensor(3., requires_grad=True)
y = torch.tensor(x)
print(y, y.requires_grad)
z = torch.as_tensor(x)
print(z is x)
