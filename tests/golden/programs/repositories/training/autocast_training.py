import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(16, 3)
target = (x.sum(1, keepdim=True) > 0).float()
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
for step in range(4):
    optimizer.zero_grad()
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        output = model(x)
        loss = nn.functional.binary_cross_entropy_with_logits(output, target)
    loss.backward()
    optimizer.step()
    print(step, output.dtype, loss.dtype, f"{loss.item():.1f}", model[0].weight.grad.dtype)
