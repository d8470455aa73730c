import torch
x = torch.tensor([1., 2.], requires_grad=True)
(x ** 2).sum().backward(create_graph=True)
kept = x.grad
print(kept)
(x ** 3).sum().backward()
print(kept)
print(x.grad)
