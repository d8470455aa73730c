import torch
@torch.inference_mode()
def f(x):
    return x * 2
@torch.inference_mode
def g(x):
    return x * 3
x = torch.ones(2, requires_grad=True)
print(f(x), f(x).is_inference(), g(x).is_inference())
with torch.inference_mode(False):
    print((x * 2).requires_grad)
