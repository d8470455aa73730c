"""A classifier on three clusters: losses, accuracy, and the gradient of the last step."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.cat([torch.randn(20, 2) + torch.tensor(c) for c in ([2.0, 0.0], [-2.0, 0.0], [0.0, 3.0])])
y = torch.arange(3).repeat_interleave(20)
model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(20):
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 5 == 4:
        accuracy = (model(x).argmax(1) == y).float().mean()
        print(epoch, f"{loss.item():.4f}", f"{accuracy.item():.3f}")
print(model)
