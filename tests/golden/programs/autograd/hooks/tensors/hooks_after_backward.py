import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
y.sum().backward()
y.register_hook(lambda g: print('hook', g))
try:
    y.sum().backward()
    print(x.grad)
except RuntimeError as e:
    print(e)
w = x * x
w.sum().backward()
try:
    w.register_hook(lambda g: print('hook w', g))
    w.sum().backward()
except RuntimeError as e:
    print(str(e)[:50])
print(x.grad)
