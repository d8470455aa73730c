import torch
w = torch.tensor([3., 4.], requires_grad=True)
w.register_hook(lambda g: torch.clamp(g, -1, 1))
(w ** 2).sum().backward()
print(w.grad)
