import torch
x = torch.arange(6., requires_grad=True)
a = x.view(2, 3)
b = a.t()
c = a.transpose(0, 1)
d = a.permute(1, 0)
e = a.T
f = a.reshape(-1)
g = b.reshape(6)
h = x.unsqueeze(0)
i = h.squeeze()
j = a.flatten()
for t in (a, b, c, d, e, f, g, h, i, j):
    print(t)
