import torch
import torch.nn as nn

torch.manual_seed(15)
model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 2))
x, y = torch.randn(4, 2), torch.tensor([0, 1, 1, 0])
opt = torch.optim.Adam(model.parameters(), lr=0.05, amsgrad=True)
for epoch in range(4):
    frozen = epoch < 2
    model[0].requires_grad_(not frozen)
    loss = nn.functional.cross_entropy(model(x), y, label_smoothing=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, model[0].weight.grad is None, round(loss.item(), 4))
