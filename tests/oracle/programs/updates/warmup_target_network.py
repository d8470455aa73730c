import torch
import torch.nn as nn

torch.manual_seed(18)
q, target = nn.Linear(3, 2), nn.Linear(3, 2)
target.load_state_dict(q.state_dict())
for _p in target.parameters():
    _p.requires_grad = False
opt = torch.optim.NAdam(q.parameters(), lr=0.02)
warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda e: min(1.0, (e + 1) / 2))
s, a, r, s2 = torch.randn(4, 3), torch.tensor([0, 1, 1, 0]), torch.randn(4), torch.randn(4, 3)
for step in range(3):
    value = q(s).gather(1, a[:, None]).squeeze(1)
    with torch.no_grad():
        goal = r + 0.9 * target(s2).max(1).values
    loss = nn.functional.huber_loss(value, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    warm.step()
    with torch.no_grad():
        for _t, _o in zip(target.parameters(), q.parameters()):
            _t.lerp_(_o, 0.1)
    print(round(loss.item(), 5))
