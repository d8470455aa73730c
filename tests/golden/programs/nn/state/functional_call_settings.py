import torch, copy
from torch import nn
from torch.func import functional_call, stack_module_state, vmap, grad
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
torch.manual_seed(0)
m = nn.Linear(2, 1)
x = torch.tensor([[1., 2.]])
p = {'weight': torch.tensor([[1., 1.]]), 'bias': torch.tensor([0.5])}
print(functional_call(m, p, x))
print(functional_call(m, p, (x,)))
print(functional_call(m, {'weight': p['weight'] * 2}, (x,)).shape)
attempt(lambda: functional_call(m, {'foo': x}, (x,)))
attempt(lambda: functional_call(m, {'foo': x}, (x,), strict=True))
attempt(lambda: functional_call(m, {'weight': p['weight']}, (x,), strict=True))
attempt(lambda: functional_call(m, (p, p), (x,)))
attempt(lambda: functional_call(m, 3, (x,)))
attempt(lambda: functional_call(3, p, (x,)))
print(grad(lambda p: functional_call(m, p, x).sum())(p))
class T(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.ones(1))
        self.b = self.a
    def forward(self, x, scale=1):
        return x * self.a + self.b * scale
t = T()
print(functional_call(t, {'a': torch.tensor([3.])}, (x,)))
print(functional_call(t, {'a': torch.tensor([3.])}, (x,), {'scale': 2}))
print(functional_call(t, {'a': torch.tensor([3.])}, (x,), tie_weights=False))
attempt(lambda: functional_call(t, {'a': torch.tensor([3.]), 'b': torch.tensor([4.])}, (x,)))
ms = [nn.Linear(2, 1) for _ in range(3)]
params, buffers = stack_module_state(ms)
print({k: v.shape for k, v in params.items()}, buffers)
print(params['weight'].requires_grad, params['weight'].is_leaf, params['weight'].grad_fn)
base = ms[0]
print(vmap(lambda p, x: functional_call(base, p, (x,)), in_dims=(0, None))(params, x).shape)
attempt(lambda: stack_module_state([]))
attempt(lambda: stack_module_state([nn.Linear(2, 1), nn.ReLU()]))
ms[0].eval()
attempt(lambda: stack_module_state(ms))
attempt(lambda: stack_module_state([nn.Linear(2, 1), nn.Linear(3, 1)]))
