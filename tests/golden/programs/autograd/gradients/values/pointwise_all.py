import torch
x = torch.tensor([0.5, 1.25], requires_grad=True)
for f in (torch.exp, torch.log, torch.sqrt, torch.abs, torch.neg, torch.sin, torch.cos, torch.tan,
          torch.tanh, torch.sigmoid, torch.relu):
    x.grad = None
    y = f(x)
    y.sum().backward()
    print(y, x.grad)
