import torch
x = torch.tensor([1., 2.], requires_grad=True)
try:
    x.backward()
except RuntimeError as e:
    print(e)
try:
    torch.ones(1).backward()
except RuntimeError as e:
    print(e)
try:
    x.sum().backward(torch.ones(2))
except RuntimeError as e:
    print(e)
try:
    x.argmax().backward()
except RuntimeError as e:
    print(e)
try:
    (x > 1).float().sum().backward()
except RuntimeError as e:
    print(e)
try:
    torch.tensor(x.sum().item()).backward()
except RuntimeError as e:
    print(e)
try:
    with torch.no_grad():
        y = x.sum()
    y.backward()
except RuntimeError as e:
    print(e)
try:
    x.sum().detach().requires_grad_().backward()
    print(x.grad)
except RuntimeError as e:
    print(e)
x.sum().int().backward()
