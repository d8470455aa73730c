import torch
from torch.cuda.amp import autocast, GradScaler
scaler = GradScaler()
w = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([w], 0.1)
for _ in range(2):
    opt.zero_grad()
    with autocast():
        loss = (w * w).sum()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    scaler.step(opt)
    scaler.update()
    print(w, scaler.get_scale(), scaler.is_enabled())
