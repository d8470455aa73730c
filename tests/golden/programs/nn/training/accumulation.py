"""Gradients of small batches, accumulated, are those of the large one."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(8, 3), torch.randn(8, 1)
nn.functional.mse_loss(model(x), y).backward()
whole = model.weight.grad.clone()
model.zero_grad()
for part_x, part_y in zip(x.split(2), y.split(2)):
    loss = nn.functional.mse_loss(model(part_x), part_y) / 4
    loss.backward()
print(torch.allclose(whole, model.weight.grad, atol=1e-6))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
steps = 0
for index, (part_x, part_y) in enumerate(zip(x.split(2), y.split(2))):
    (nn.functional.mse_loss(model(part_x), part_y) / 2).backward()
    if (index + 1) % 2 == 0:
        optimizer.step()
        optimizer.zero_grad()
        steps += 1
print(steps, model.weight.grad)
model.zero_grad(set_to_none=False)
print(model.bias.grad)
