import torch
import torch.nn.functional as F

torch.manual_seed(3)
x = torch.randn(4, 6, requires_grad=True)
w = torch.randn(4, 6, requires_grad=True)
m = torch.randn(4, 4, requires_grad=True)
v = torch.randn(6, requires_grad=True)
slope = torch.tensor([0.25], requires_grad=True)
leaves = [x, slope]
results = [F.glu(x, 1), F.prelu(x, slope)]

for y in results:
    gradients = torch.autograd.grad(y.sin().sum(), leaves, create_graph=True, allow_unused=True)
    sum((g**2).sum() for g in gradients if g is not None).backward()
