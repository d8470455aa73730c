import torch
from torch import nn, optim
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
a = torch.tensor([1.], requires_grad=True); b = torch.tensor([2.], requires_grad=True); c = torch.tensor([3.], requires_grad=True)
o = optim.SGD([{'params': [a]}, {'params': b, 'lr': 0.5, 'momentum': 0.9}], lr=0.1)
print(o, len(o.param_groups), o.param_groups[1]['lr'], o.defaults)
o.add_param_group({'params': [c], 'weight_decay': 0.1})
(a * b * c).backward(); o.step(); print(a, b, c)
attempt(lambda: o.add_param_group({'params': [a]}))
attempt(lambda: o.add_param_group([a]))
attempt(lambda: o.add_param_group({'params': {a}}))
attempt(lambda: o.add_param_group({'lr': 1}))
attempt(lambda: o.step(lambda: 3.))
attempt(lambda: o.step(3))
o.zero_grad(); print(a.grad); (a * 2).backward(); o.zero_grad(set_to_none=False); print(a.grad, b.grad)
sd = o.state_dict()
print(sd)
o2 = optim.SGD([a], lr=0.1)
attempt(lambda: o2.load_state_dict(sd))
o3 = optim.SGD([a, b], lr=0.1)
attempt(lambda: o3.load_state_dict({'state': {}, 'param_groups': [{'params': [0]}]}))
attempt(lambda: o3.load_state_dict({}))
attempt(lambda: o3.load_state_dict(o3.state_dict()))
attempt(lambda: o3.load_state_dict(3))
def closure():
    o3.zero_grad()
    loss = (a * b).sum() ** 2
    loss.backward()
    print('closure', loss.item())
    return loss
print(o3.step(closure))
print(torch.is_grad_enabled())
h = o3.register_step_pre_hook(lambda opt, args, kw: print('pre', args, kw)); h2 = o3.register_step_post_hook(lambda opt, args, kw: print('post'))
o3.step(); h.remove(); h2.remove(); o3.step()
w = nn.Parameter(torch.ones(2))
o4 = optim.Adam([('w', w)]); print(o4, o4.state_dict()['param_groups'])
attempt(lambda: optim.Adam([('w', w), nn.Parameter(torch.ones(1))]))
lb = optim.LBFGS([w], max_iter=2, line_search_fn='strong_wolfe')
attempt(lambda: lb.step())
def cl():
    lb.zero_grad(); l = ((w - 3) ** 2).sum(); l.backward(); return l
print(lb.step(cl), w)
attempt(lambda: optim.LBFGS([w], line_search_fn='foo').step(cl))
print(optim.Optimizer([w], {'lr': 3}))
attempt(lambda: optim.Optimizer([w], {'lr': 3}).step())
class My(optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))
    @torch.no_grad()
    def step(self, closure=None):
        for g in self.param_groups:
            for p in g['params']:
                if p.grad is None: continue
                st = self.state[p]
                st['n'] = st.get('n', 0) + 1
                p.add_(p.grad, alpha=-g['lr'])
m = My([w]); (w ** 2).sum().backward(); m.step(); m.step(); print(w, m.state_dict(), m)
import copy
