import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(8, 3).to(torch.bfloat16)
model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1)).to(torch.bfloat16)
print({name: tensor.dtype for name, tensor in model.state_dict().items()})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = (model(x) - 1).pow(2).mean()
    loss.backward()
    optimizer.step()
    print(loss.dtype, f"{loss.item():.1f}")
print(model[0].weight.dtype, model[0].weight.grad.dtype, model.float()[0].weight.dtype, model.bfloat16()[0].weight.dtype)
