import torch

x = torch.ones(3, requires_grad=True)
loss = (x * 2).sum()
with torch.inference_mode():
    loss.backward()
print(x.grad, x.grad.is_inference())
try:
    x.grad.add_(1)
except RuntimeError as error:
    print(error)
x.grad = None

x.register_hook(lambda g: print("hook", g.is_inference()))
middle = x * 1
middle.retain_grad()
loss = (middle * 3).sum()
with torch.inference_mode():
    print(torch.autograd.grad(loss, x, retain_graph=True)[0].is_inference())
    loss.backward()
print(middle.grad.is_inference(), x.grad.is_inference())
(x * 2).sum().backward()
