import torch
@torch.no_grad()
def double(x):
    return x * 2
x = torch.tensor([1., 2.], requires_grad=True)
print(double(x))
