import torch
scaler = torch.amp.GradScaler('cuda', enabled=False)
with torch.autocast(device_type='cuda', dtype=torch.float16, enabled=False):
    y = torch.ones(2, requires_grad=True) * 2
print(y, scaler.state_dict(), torch.is_autocast_enabled())
