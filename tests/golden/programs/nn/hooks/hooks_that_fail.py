import torch
from torch import nn
mlp = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
for p in mlp.parameters(): nn.init.constant_(p, 0.5)
acts = {}
def save(name):
    def hook(mod, inp, out): acts[name] = out.detach()
    return hook
handles = [l.register_forward_hook(save(n)) for n, l in mlp.named_children()]
y = mlp(torch.tensor([[1., -1.]]))
for k, v in acts.items(): print(k, v)
for h in handles: h.remove()
acts.clear(); mlp(torch.ones(1, 2)); print(acts)
grads = []
h = mlp[1].register_full_backward_hook(lambda m, gi, go: grads.append((gi[0].clone(), go[0].clone())))
mlp(torch.tensor([[1., -1.]], requires_grad=True)).backward()
print(grads)
h.remove()
t = mlp[0].weight.register_hook(lambda g: g * 0)
mlp.zero_grad(); mlp(torch.tensor([[1., -1.]])).backward(); print(mlp[0].weight.grad, mlp[0].bias.grad); t.remove()
p = mlp[2].weight.register_post_accumulate_grad_hook(lambda p: print('acc', p.grad))
mlp(torch.tensor([[1., -1.]])).backward()
def bad(m, i, o): raise ValueError('hook failed')
mlp[0].register_forward_hook(bad)
mlp(torch.ones(1, 2))
