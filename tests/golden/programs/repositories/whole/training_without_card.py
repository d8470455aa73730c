import torch
from torch import nn
from torch.cuda import amp
use_amp = torch.cuda.is_available()
device = torch.device('cuda:0' if use_amp else 'cpu')
scaler = torch.cuda.amp.GradScaler(enabled=use_amp)
torch.manual_seed(0)
net = nn.Linear(3, 1).to(device); opt = torch.optim.Adam(net.parameters())
for epoch in range(2):
    with amp.autocast(enabled=use_amp):
        loss = nn.functional.mse_loss(net(torch.ones(2, 3, device=device)), torch.zeros(2, 1, device=device))
    scaler.scale(loss).backward(); scaler.step(opt); scaler.update(); opt.zero_grad(set_to_none=True)
    print(f'{loss.item():.4f}')
    torch.cuda.empty_cache()
with torch.autocast(device_type=device.type, dtype=torch.float16, enabled=use_amp): print(net.weight.dtype)
