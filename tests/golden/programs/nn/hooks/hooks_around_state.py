import torch
from torch import nn
m = nn.Linear(1, 1)
calls = []
m.register_state_dict_pre_hook(lambda mod, prefix, keep: calls.append(('sdpre', prefix, keep)))
m.register_state_dict_post_hook(lambda mod, sd, prefix, meta: calls.append(('sdpost', list(sd), prefix)))
m.register_load_state_dict_pre_hook(lambda mod, sd, prefix, meta, strict, mk, uk, em: calls.append(('lpre', list(sd), prefix, strict, mk, uk)))
m.register_load_state_dict_post_hook(lambda mod, keys: calls.append(('lpost', keys)))
sd = m.state_dict()
m.load_state_dict(sd)
for c in calls: print(c)
m2 = nn.Linear(1, 1)
m2.register_load_state_dict_post_hook(lambda mod, keys: keys.missing_keys.clear())
print(m2.load_state_dict({}))
m3 = nn.Sequential(nn.Linear(1, 1))
m3[0].register_full_backward_hook(lambda *a: None)
try:
    m3[0].register_backward_hook(lambda *a: None)
except Exception as e:
    print(type(e).__name__, e)
m4 = nn.Linear(2, 1)
m4.register_backward_hook(lambda mod, gi, go: print('old', len(gi), len(go)))
m4(torch.ones(1, 2)).backward()
m5 = nn.ReLU()
m5.register_full_backward_hook(lambda mod, gi, go: (gi[0], gi[0]))
try:
    m5(torch.ones(2, requires_grad=True)).sum().backward()
except Exception as e:
    print(type(e).__name__, e)
m6 = nn.ReLU(inplace=True)
m6.register_full_backward_hook(lambda mod, gi, go: print(gi, go))
try:
    x = torch.ones(2, requires_grad=True) * 2
    m6(x).sum().backward()
except Exception as e:
    print(type(e).__name__, e)
m7 = nn.Linear(2, 1)
m7.register_full_backward_hook(lambda mod, gi, go: print('full', gi, go))
m7(torch.ones(1, 2)).sum().backward()
m8 = nn.Linear(2, 1)
y = m8(torch.ones(1, 2, requires_grad=True))
print(y.grad_fn)
m8.register_full_backward_hook(lambda mod, gi, go: None)
y = m8(torch.ones(1, 2, requires_grad=True))
print(y.grad_fn)
