import torch
from torch import nn, optim
w = nn.Parameter(torch.tensor([1., 2.])); b = nn.Parameter(torch.tensor([0.5]))
for O, kw in ((optim.SGD, dict(lr=0.1, momentum=0.9)), (optim.Adam, dict(lr=0.1)), (optim.RMSprop, dict()), (optim.Adagrad, dict()), (optim.Adadelta, {}), (optim.AdamW, {}), (optim.Rprop, {}), (optim.ASGD, {}), (optim.Adamax, {}), (optim.NAdam, {}), (optim.RAdam, {}), (optim.Adafactor, {})):
    o = O([w, b], **kw)
    o.zero_grad(); (w.sum() * b).backward(); o.step()
    st = o.state_dict()
    print(O.__name__, list(st), st['param_groups'][0]['params'], {k: list(v) for k, v in st['state'].items()})
    for k, v in st['state'][0].items(): print('  ', k, v)
    o2 = O([nn.Parameter(w.detach().clone()), nn.Parameter(b.detach().clone())], **kw); o2.load_state_dict(st)
    print(len(o2.state), o2.state_dict()['state'].keys())
    with torch.no_grad(): w.copy_(torch.tensor([1., 2.])); b.fill_(0.5)
o = optim.SGD([w], lr=torch.tensor(0.1)); print(o.param_groups[0]['lr'], o)
w.grad = torch.ones(2); o.step(); print(w)
o = optim.Adam([{'params': [w], 'name': 'x'}, {'params': [b], 'lr': 0.5}]); print(o)
print([{k: v for k, v in g.items() if k != 'params'} for g in o.param_groups][0])
o.zero_grad(); o.param_groups.clear(); print(o.param_groups)
optim.Adam([w], lr=0.1, betas=(1.5, 0.9))
