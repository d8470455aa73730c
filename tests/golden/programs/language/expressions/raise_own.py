import torch
x = torch.tensor(1., requires_grad=True)
(x * 2).backward()
raise ValueError('gradient was %s' % x.grad.item())
