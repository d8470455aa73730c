import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
z = y.sigmoid()
w = z * y
z.add_(1)
w.grad_fn._saved_self
