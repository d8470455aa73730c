import torch
a = torch.tensor(1., requires_grad=True)
b = torch.tensor(2., requires_grad=True)
h = torch.autograd.graph.register_multi_grad_hook((a, b), lambda g: print('any', g), mode='any')
(a * 2).backward()
(a * b).backward()
print(type(h).__name__)
try:
    torch.autograd.graph.register_multi_grad_hook((a, b), print, mode='some')
except ValueError as e:
    print(e)
try:
    torch.autograd.graph.register_multi_grad_hook((a, torch.ones(1)), print)
except RuntimeError as e:
    print(e)
