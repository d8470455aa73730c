import torch
x = torch.ones(4)
with torch.inference_mode():
    v = x.view(2, 2)
    print(v.is_inference())
    v.add_(1)
print(x, v.is_inference(), x._version)
w = torch.ones(2, 2, requires_grad=True)
v.mul_(w)
