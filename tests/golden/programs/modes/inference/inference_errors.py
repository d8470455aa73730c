import torch
x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    y = torch.ones(2)
def attempt(f):
    try:
        print(f())
    except RuntimeError as e:
        print(e)
attempt(lambda: y.add_(1))
attempt(lambda: x * y)
attempt(lambda: y.requires_grad_())
attempt(lambda: y._version)
attempt(lambda: (x + y).sum().backward())
attempt(lambda: y * 3)
print(x.grad)
