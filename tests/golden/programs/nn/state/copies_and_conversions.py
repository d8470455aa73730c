import torch, copy
from torch import nn
m = nn.Sequential(nn.Linear(2, 1), nn.ReLU())
m[0].weight.grad = torch.ones(1, 2)
n = copy.deepcopy(m)
print(n[0].weight is m[0].weight, torch.equal(n[0].weight, m[0].weight), n[0].weight.grad, n[0].bias.grad, type(n[0].weight))
s = copy.copy(m)
print(s[0].weight is m[0].weight, s._modules is m._modules)
x = torch.ones(2, requires_grad=True)
y = x * 2
for f in (copy.deepcopy, copy.copy):
    try:
        z = f(y); print(z, z is y)
    except Exception as e:
        print(type(e).__name__, e)
z = copy.deepcopy(x); print(z, z.is_leaf, z is x)
z = copy.copy(x); print(z, z is x, z.data_ptr() == x.data_ptr())
a = torch.arange(4.); b = a[1:3]
a2, b2 = copy.deepcopy((a, b)); a2[1] = 100; print(b2)
tie = nn.ModuleList([nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)])
tie[1].weight = tie[0].weight
print(len(list(tie.parameters())), len(list(tie.named_parameters(remove_duplicate=False))), list(tie.state_dict()))
t2 = copy.deepcopy(tie)
print(t2[0].weight is t2[1].weight, t2[0].weight is tie[0].weight)
m.requires_grad_(False); print([p.requires_grad for p in m.parameters()], m(torch.ones(1, 2)).requires_grad)
m.zero_grad(); print(m[0].weight.grad)
m[0].weight.grad = torch.ones(1, 2); m.zero_grad(set_to_none=False); print(m[0].weight.grad)
print(m.double()[0].weight.dtype, m.half()[0].weight.dtype, m.float()[0].weight.dtype, m.to(torch.float64)[0].weight.dtype, m.type(torch.float16)[0].weight.dtype)
try:
    m.to(torch.int64)
except Exception as e:
    print(type(e).__name__, e)
try:
    m.to('cuda')
except Exception as e:
    print(type(e).__name__, e)
try:
    m.cuda()
except Exception as e:
    print(type(e).__name__, e)
m.float(); m.apply(lambda mod: print(type(mod).__name__))
def init(mod):
    if isinstance(mod, nn.Linear):
        nn.init.ones_(mod.weight); nn.init.zeros_(mod.bias)
print(m.apply(init)[0].weight, m.cpu() is m, m.share_memory is not None)
