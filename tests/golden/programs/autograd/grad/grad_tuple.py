import torch
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([3., 4.], requires_grad=True)
print(torch.autograd.grad((x * w).sum(), [x, w]))
print(x.grad)
