import torch
from torch import _foreach_add
a = [torch.ones(2, requires_grad=True), torch.full((3,), 4.)]
print(_foreach_add([torch.ones(2), torch.ones(3)], 1), torch._foreach_add([torch.ones(2)], [torch.ones(2)], alpha=2))
b = [torch.ones(2), torch.full((3,), 4.)]
print(torch._foreach_mul_(b, [2., 3.]))
torch._foreach_addcmul_(b, b, b, value=0.5); torch._foreach_lerp_(b, [torch.zeros(2), torch.zeros(3)], 0.25)
torch._foreach_div_(b, torch._foreach_add(torch._foreach_sqrt(b), 1e-8)); torch._foreach_neg_(b); print(b)
print(torch._foreach_addcdiv(b, b, b, scalars=[1., 2.]), torch._foreach_pow(2., b), torch._foreach_norm(b, ord=1))
torch._foreach_copy_(b, [torch.zeros(2), torch.ones(3)]); torch._foreach_maximum_(b, 0.5); torch._foreach_clamp_min_(b, 0.7); print(b)
print(torch._foreach_max(b), torch._foreach_clone(b)[0] is b[0], torch._foreach_zero_(b))
(sum(t.sum() for t in torch._foreach_exp(a))).backward(); print(a[0].grad)
for f in (lambda: torch._foreach_add(a, [torch.ones(2)]), lambda: torch._foreach_add([], 1), lambda: torch._foreach_add([1], 1), lambda: torch._foreach_add(b, [1.]), lambda: torch._foreach_add_(a, 1)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
