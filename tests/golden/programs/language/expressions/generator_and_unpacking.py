import torch
a, b = torch.tensor([3., 4.], requires_grad=True)
print(a, b)
t = torch.arange(6.).reshape(3, 2)
for row in t:
    print(row)
first, *rest = t
print(first, rest)
