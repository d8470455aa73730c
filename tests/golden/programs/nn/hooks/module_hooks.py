"""Hooks of modules: before and after the call, with keywords, and on the way back."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
with torch.no_grad():
    for p in model.parameters():
        p.fill_(0.5)
order = []
model[0].register_forward_pre_hook(lambda m, args: order.append(("pre", type(m).__name__, args[0].shape)))
model[1].register_forward_hook(lambda m, args, out: order.append(("post", out)))
model[2].register_full_backward_pre_hook(lambda m, grad_output: order.append(("back pre", grad_output)))
handle = model[2].register_full_backward_hook(lambda m, gi, go: order.append(("back", gi, go)))
x = torch.ones(1, 2, requires_grad=True)
y = model(x)
print(y)
y.sum().backward()
for entry in order:
    print(*entry)
handle.remove()
print(x.grad)
doubled = model[0].register_forward_hook(lambda m, args, out: out * 2, prepend=True)
print(model(x))
doubled.remove()


class Scaled(nn.Module):
    def forward(self, x, scale=1.0):
        return x * scale


scaled = Scaled()
scaled.register_forward_pre_hook(lambda m, args, kwargs: (args, {**kwargs, "scale": 3.0}), with_kwargs=True)
scaled.register_forward_hook(lambda m, args, kwargs, out: print("kwargs", kwargs), with_kwargs=True)
print(scaled(torch.ones(2)))
model[2].register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
x.grad = None
model(x).sum().backward()
print(x.grad)
model.register_full_backward_hook(lambda m, gi, go: print("no inputs", gi, go))
model(torch.ones(1, 2)).sum().backward()
try:
    model[2].register_backward_hook(lambda m, gi, go: None)
except RuntimeError as error:
    print(error)
