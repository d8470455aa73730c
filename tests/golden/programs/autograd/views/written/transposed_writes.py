import torch
x = torch.arange(6., requires_grad=True)
m = (x * 1).view(2, 3)
m[:, 1] = m[:, 0] * m[:, 2]
m.t()[0].add_(1)
m[1].clamp_(max=4)
print(m)
m.sum().backward()
print(x.grad)
try:
    m.sum().backward()
except RuntimeError as e:
    print(str(e)[:60])
