"""Training with validation, early stopping and the best state restored."""
import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.linspace(-1, 1, 20).unsqueeze(1)
y = x**3
train_x, val_x, train_y, val_y = x[::2], x[1::2], y[::2], y[1::2]
model = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.5)
best, best_state, waited = float("inf"), None, 0
for epoch in range(12):
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(train_x), train_y)
    loss.backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(val_x), val_y).item()
    schedule.step(val)
    if val < best:
        best, best_state, waited = val, copy.deepcopy(model.state_dict()), 0
    else:
        waited += 1
    print(epoch, f"{val:.3f}", optimizer.param_groups[0]["lr"], waited)
    if waited == 4:
        break
model.load_state_dict(best_state)
print(f"{nn.functional.mse_loss(model(val_x), val_y).item():.3f}" == f"{best:.3f}")
