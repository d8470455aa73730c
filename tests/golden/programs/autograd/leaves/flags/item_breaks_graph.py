import torch
x = torch.tensor(3., requires_grad=True)
y = torch.tensor(x.item() * 2)
print(y.requires_grad)
y.backward()
