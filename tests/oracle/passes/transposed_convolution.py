import torch
import torch.nn.functional as F

torch.manual_seed(3)
x = torch.randn(4, 6, requires_grad=True)
w = torch.randn(4, 6, requires_grad=True)
m = torch.randn(4, 4, requires_grad=True)
v = torch.randn(6, requires_grad=True)
kernel = torch.randn(4, 2, 3, requires_grad=True)
patch = torch.randn(1, 2, 2, 2, requires_grad=True)
bias = torch.randn(2, requires_grad=True)
leaves = [x, kernel, patch, bias]
results = [
    F.conv_transpose1d(x.view(1, 4, 6), kernel, bias),
    F.conv_transpose2d(x.view(1, 1, 4, 6), patch, stride=2, padding=1),
]

for y in results:
    gradients = torch.autograd.grad(y.sin().sum(), leaves, create_graph=True, allow_unused=True)
    sum((g**2).sum() for g in gradients if g is not None).backward()
