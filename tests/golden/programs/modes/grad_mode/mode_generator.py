import torch
@torch.no_grad()
def gen():
    print("in", torch.is_grad_enabled())
    yield 1
    print("in", torch.is_grad_enabled())
    yield 2
for v in gen():
    print(v, torch.is_grad_enabled())
