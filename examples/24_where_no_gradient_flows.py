import torch

x = torch.tensor([1., 2., 3.], requires_grad=True)
constant = (x * 10).detach()  # the same numbers, cut off from x
with torch.no_grad():
    offset = x + 1            # not recorded

y = x * constant + offset
print(constant.requires_grad, offset.requires_grad)
y.backward(torch.ones(3))
print(x.grad)
