import torch
x = torch.tensor([3.14159265, 2.71828182])
torch.set_printoptions(precision=2)
print(x)
torch.set_printoptions(sci_mode=True)
print(x)
torch.set_printoptions(profile='default')
print(x)
