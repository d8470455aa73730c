import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn, get_ema_avg_fn, get_ema_multi_avg_fn
m = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
with torch.no_grad(): m[0].weight.fill_(1.); m[0].bias.fill_(0.)
a = AveragedModel(m); print(a, a.n_averaged)
for v in (3., 5., 9.):
    a.update_parameters(m)
    with torch.no_grad(): m[0].weight.fill_(v)
a.update_parameters(m)
print(a.module[0].weight, a.n_averaged, list(a.state_dict())[:2])
e = AveragedModel(m, avg_fn=get_ema_avg_fn(0.9)); e.update_parameters(m)
with torch.no_grad(): m[0].weight.fill_(0.)
e.update_parameters(m); print(e.module[0].weight)
e2 = AveragedModel(m, multi_avg_fn=get_ema_multi_avg_fn(0.5)); e2.update_parameters(m)
with torch.no_grad(): m[0].weight.fill_(4.)
e2.update_parameters(m); print(e2.module[0].weight, e2.n_averaged)
update_bn([torch.tensor([[1.], [2.]]), torch.tensor([[3.], [5.]])], a); print(a.module[1].running_mean, a.module[1].running_var, a.module[1].momentum, a.training)
o = torch.optim.SGD(m.parameters(), lr=1.); s = SWALR(o, swa_lr=0.1, anneal_epochs=3)
for _ in range(5):
    o.step(); print(round(o.param_groups[0]['lr'], 6), end=' '); s.step()
print(s.get_last_lr())
s = SWALR(torch.optim.SGD(m.parameters(), lr=1.), swa_lr=0.5, anneal_epochs=2, anneal_strategy='linear')
for _ in range(4):
    s.optimizer.step(); s.step(); print(s.get_last_lr())
for f in (lambda: AveragedModel(m, avg_fn=1, multi_avg_fn=2), lambda: SWALR(o, 0.1, anneal_strategy='x'), lambda: SWALR(o, 0.1, -1), lambda: get_ema_avg_fn(2.)):
    try: f()
    except Exception as ex: print(type(ex).__name__, ex)
a(torch.ones(2, 2))
