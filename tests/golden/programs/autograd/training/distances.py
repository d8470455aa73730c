import torch
p = torch.tensor([[0., 0.], [3., 4.], [6., 8.]], requires_grad=True)
d = (p[:, None] - p[None]).pow(2).sum(-1)
print(d)
(d + 1e-12).sqrt().sum().backward()
print(p.grad)
