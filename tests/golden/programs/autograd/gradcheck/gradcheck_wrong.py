import torch
x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
def f(x):
    return x * x.detach()
print(torch.autograd.gradcheck(f, (x,), raise_exception=False))
try:
    torch.autograd.gradcheck(f, (x,))
except RuntimeError as e:
    print(type(e).__name__)
    print(e)
