import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
real, fake = torch.randn(4, 2), torch.randn(4, 2)
eps = torch.rand(4, 1)
mix = (eps * real + (1 - eps) * fake).requires_grad_(True)
score = critic(mix)
grad = torch.autograd.grad(
    outputs=score, inputs=mix, grad_outputs=torch.ones_like(score), create_graph=True, retain_graph=True
)[0]
gp = ((grad.view(4, -1).norm(2, dim=1) - 1) ** 2).mean()
loss = critic(fake).mean() - critic(real).mean() + 10 * gp
loss.backward()
print(loss.item())
