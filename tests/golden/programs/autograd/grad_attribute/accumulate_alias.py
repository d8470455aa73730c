import torch
x = torch.tensor([1., 2.], requires_grad=True)
(x * 2).sum().backward()
kept = x.grad
(x * 3).sum().backward()
print(kept, x.grad, kept is x.grad)
x.grad = None
(x * 5).sum().backward()
print(kept, x.grad)
