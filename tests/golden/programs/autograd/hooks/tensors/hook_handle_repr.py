import torch
w = torch.ones(2, requires_grad=True)
h = w.register_hook(print)
print(type(h).__name__)
h.remove()
h.remove()
(w * 2).sum().backward()
print(w.grad)
