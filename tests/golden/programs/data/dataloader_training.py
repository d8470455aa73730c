"""Batches from a loader, shuffled under a seed, with dropout."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)
x = torch.randn(12, 3)
y = (x.sum(1) > 0).float().unsqueeze(1)
loader = DataLoader(TensorDataset(x, y), batch_size=4, shuffle=True)
model = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Dropout(0.25), nn.Linear(6, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9, nesterov=True, weight_decay=1e-3)
for epoch in range(3):
    running = 0.0
    for inputs, labels in loader:
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(inputs)
    print(epoch, f"{running / len(x):.4f}")
model.eval()
with torch.no_grad():
    predicted = (torch.sigmoid(model(x)) > 0.5).float()
print(f"{(predicted == y).float().mean().item():.2f}")
