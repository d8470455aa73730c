import torch
x = torch.ones(2)
try:
    x.register_hook(lambda g: g)
except RuntimeError as e:
    print(e)
try:
    x.register_post_accumulate_grad_hook(lambda p: None)
except RuntimeError as e:
    print(e)
y = torch.ones(2, requires_grad=True) * 2
y.register_post_accumulate_grad_hook(lambda p: None)
