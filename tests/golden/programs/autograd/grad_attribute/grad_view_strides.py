import torch
w = torch.arange(6.).view(2, 3).t().requires_grad_()
(w * 2).sum().backward()
print(w.stride(), w.grad.stride(), w.grad)
