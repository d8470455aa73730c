import torch
w = torch.ones(2, requires_grad=True)
for mode in range(2):
    (w * 3).sum().backward()
(w * 1).sum().backward()
print(w.grad)
w.grad = None
(w * 1).sum().backward()
print(w.grad)
w.grad *= 2
w.grad[0] = -1
(w * 1).sum().backward()
print(w.grad)
