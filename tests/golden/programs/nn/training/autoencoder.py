"""An autoencoder as a class, with an encoder and a decoder."""
import torch
from torch import nn


class Autoencoder(nn.Module):
    def __init__(self, size, code):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(size, 8), nn.ReLU(), nn.Linear(8, code))
        self.decoder = nn.Sequential(nn.Linear(code, 8), nn.ReLU(), nn.Linear(8, size), nn.Sigmoid())

    def forward(self, x):
        code = self.encoder(x)
        return self.decoder(code), code


torch.manual_seed(1)
model = Autoencoder(6, 2)
data = torch.rand(10, 6)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
for step in range(5):
    optimizer.zero_grad()
    output, code = model(data)
    loss = criterion(output, data)
    loss.backward()
    optimizer.step()
    print(step, f"{loss:.4f}", code.shape)
for name, parameter in model.named_parameters():
    print(name, tuple(parameter.shape), f"{parameter.grad.norm():.4f}")
