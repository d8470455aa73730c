import torch
base = torch.zeros(2, 3)
row, col, flat, turned = base[0], base[:, 1], base.view(-1), base.t()
row += 1
col.mul_(5)
flat[5] = 9
turned[0, 1] = 7
print(base)
print(row, col, flat)
print(turned)
print(base._version, row._version, flat._version)
copy = base.clone()
copy[0] = 100
picked = base[[0]]
picked[0, 0] = 100
print(base)
