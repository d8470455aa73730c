import torch
x = torch.tensor([2.], requires_grad=True)
out = torch.empty(1)
try:
    torch.mul(x, 2, out=out)
except RuntimeError as e:
    print(e)
with torch.no_grad():
    torch.mul(x, 2, out=out)
print(out, out._version)
o2 = torch.empty(1, requires_grad=True)
try:
    torch.mul(torch.ones(1), 2, out=o2)
except RuntimeError as e:
    print(e)
o3 = torch.empty(2)
torch.add(torch.ones(3), 1, out=o3)
print(o3)
