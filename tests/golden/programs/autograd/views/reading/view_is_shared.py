import torch
x = torch.zeros(4)
v = x.view(2, 2)
v[0, 0] = 1
x[3] = 5
print(x, v, v._version, x._version)
print(v._base is x)
