import torch
x = torch.zeros(3, requires_grad=True)
try:
    x[0] = 1
except RuntimeError as e:
    print(e)
try:
    x[torch.tensor([0])] = 1
except RuntimeError as e:
    print(e)
try:
    x[x > 0] = 1
except RuntimeError as e:
    print(e)
try:
    x[:] = 1
except RuntimeError as e:
    print(e)
try:
    x[...] = 1
except RuntimeError as e:
    print(e)
try:
    x[:1][0] = 1
except RuntimeError as e:
    print(e)
try:
    x.index_put_((torch.tensor([0]),), torch.tensor(1.))
except RuntimeError as e:
    print(e)
try:
    torch.add(x, 1, out=x)
except RuntimeError as e:
    print(e)
try:
    torch.nn.init.zeros_(x); print(x._version)
    torch.nn.functional.relu(x, inplace=True)
except RuntimeError as e:
    print(e)
try:
    torch.nn.ReLU(inplace=True)(x)
except RuntimeError as e:
    print(e)
with torch.no_grad():
    x[0] = 1
    x[x > 0] += 4
print(x, x._version)
