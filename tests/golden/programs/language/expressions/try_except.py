import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
try:
    y.backward()
except RuntimeError as error:
    print('caught:', error)
y.backward(torch.ones(2))
try:
    y.backward(torch.ones(2))
except RuntimeError as error:
    print(type(error).__name__, str(error)[:50])
finally:
    print(x.grad)
