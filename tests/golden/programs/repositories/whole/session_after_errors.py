import torch
x = torch.ones(2, requires_grad=True)
try:
    x.numpy()
except RuntimeError as error:
    print(f"RuntimeError: {error}")
try:
    x.view(3)
except RuntimeError as error:
    print(f"RuntimeError: {error}")
y = (x * 3).sum()
print(repr(y))
y.backward()
try:
    y.backward()
except RuntimeError as error:
    print(f"RuntimeError: {error}")
print(repr(x.grad))
try:
    for i in range(2):
        print(i)
        1 // i - 1 // (i - 1)
except ZeroDivisionError as error:
    print(f"ZeroDivisionError: {error}")
print(repr(i))
