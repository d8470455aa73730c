import torch
x = torch.ones(2, 2, requires_grad=True)
y = x * 1
v = y.t()[0]
print(v._is_view(), v._base is y)
print(y._is_view(), y._base)
w = x.reshape(4)
print(w._base is x, x.clone().reshape(4)._is_view())
