"""A few steps of a generative adversarial network."""
import torch
import torch.nn as nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
discriminator = nn.Sequential(nn.Linear(1, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1), nn.Sigmoid())
bce = nn.BCELoss()
g_opt = torch.optim.Adam(generator.parameters(), lr=1e-2, betas=(0.5, 0.999))
d_opt = torch.optim.Adam(discriminator.parameters(), lr=1e-2, betas=(0.5, 0.999))
for step in range(4):
    real = torch.randn(8, 1) * 0.5 + 3
    noise = torch.randn(8, 2)
    fake = generator(noise)
    d_opt.zero_grad()
    d_loss = bce(discriminator(real), torch.ones(8, 1)) + bce(discriminator(fake.detach()), torch.zeros(8, 1))
    d_loss.backward()
    d_opt.step()
    g_opt.zero_grad()
    g_loss = bce(discriminator(fake), torch.ones(8, 1))
    g_loss.backward()
    g_opt.step()
    print(step, f"{d_loss.item():.4f} {g_loss.item():.4f}")
