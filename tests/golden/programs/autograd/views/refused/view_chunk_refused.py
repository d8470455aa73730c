import torch
x = torch.ones(4, requires_grad=True)
y = x * 1
a, b = torch.chunk(y, 2)
try:
    b.zero_()
except RuntimeError as e:
    print(e)
a, b = torch.tensor_split(y, 2)
try:
    b.zero_()
except RuntimeError as e:
    print(e)
a, b = y.split_with_sizes([1, 3])
try:
    b.zero_()
except RuntimeError as e:
    print(e)
