import torch
torch.manual_seed(0)
w = torch.ones(2, requires_grad=True)
o = torch.optim.SGD([w], 0.1)
s = torch.amp.GradScaler('cpu', init_scale=8., growth_interval=2)
for i in range(4):
    o.zero_grad()
    l = (w * w).sum() * (float('inf') if i == 1 else 1)
    s.scale(l).backward()
    s.step(o); s.update()
    print(w, s.get_scale(), s.state_dict())
try: s.unscale_(o); s.unscale_(o)
except Exception as e: print(type(e).__name__, e)
