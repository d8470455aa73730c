import torch
from torch.nn.utils import clip_grad_norm_
w = torch.tensor([3., 4.], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9, weight_decay=0.01)
for step in range(4):
    opt.zero_grad()
    loss = (w ** 2).sum()
    loss.backward()
    norm = clip_grad_norm_([w], max_norm=1.0)
    opt.step()
    print(step, round(loss.item(), 4), f'{norm:.4f}', w.grad, opt.state[w]['momentum_buffer'])
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4)
lrs = []
for _ in range(5):
    opt.step(); lrs.append(round(sched.get_last_lr()[0], 5)); sched.step()
print(lrs)
warm = torch.optim.lr_scheduler.LambdaLR(torch.optim.SGD([w], lr=1.), lambda e: min(1., (e + 1) / 3))
print([warm.get_last_lr()] + [(warm.optimizer.step(), warm.step(), warm.get_last_lr())[2] for _ in range(3)])
o = torch.optim.SGD([w], lr=1.); plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(o, factor=0.1, patience=0)
for v in (1., 2., 3.): plateau.step(v); print(o.param_groups[0]['lr'])
print(plateau.state_dict())
one = torch.optim.lr_scheduler.OneCycleLR(torch.optim.SGD([w], lr=0.1, momentum=0.9), max_lr=1., total_steps=4)
for _ in range(4):
    print(round(one.get_last_lr()[0], 4), end=' ')
    one.optimizer.step(); one.step() if one.last_epoch < 3 else None
print()
one.step(); one.step()
