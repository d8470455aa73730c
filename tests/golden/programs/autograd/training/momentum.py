import torch
w = torch.tensor([5., -3.], requires_grad=True)
velocity = torch.zeros_like(w)
for _ in range(10):
    loss = (w ** 2).sum()
    g, = torch.autograd.grad(loss, w)
    velocity = 0.9 * velocity + g
    w = (w - 0.05 * velocity).detach().requires_grad_(True)
print(w, velocity)
