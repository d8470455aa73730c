import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_, parameters_to_vector, vector_to_parameters
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
a = torch.tensor([1., 2.], requires_grad=True); b = torch.tensor([[3.]], requires_grad=True)
(a.sum() * 3 + b.sum() * 4).backward()
print(a.grad, b.grad)
n = clip_grad_norm_([a, b], 1.0); print(n, n.requires_grad, a.grad, b.grad)
print(clip_grad_norm_([a, b], 1.0, norm_type=1), a.grad)
print(clip_grad_norm_([a, b], 0.1, norm_type=float('inf')), a.grad)
print(clip_grad_norm_(a, 10.), clip_grad_norm_([torch.ones(1, requires_grad=True)], 1.), clip_grad_norm_([], 1.))
clip_grad_value_([a, b], 0.05); print(a.grad, b.grad)
attempt(lambda: clip_grad_value_([a, b], 'a'))
attempt(lambda: clip_grad_norm_([a, b], 'a'))
a.grad = torch.tensor([float('nan'), 1.]); print(clip_grad_norm_([a, b], 1.), a.grad)
attempt(lambda: clip_grad_norm_([a, b], 1., error_if_nonfinite=True))
a.grad = torch.tensor([float('inf'), 1.]); attempt(lambda: clip_grad_norm_([a, b], 1., error_if_nonfinite=True)); print(clip_grad_norm_([a, b], 1.), a.grad)
attempt(lambda: torch.nn.utils.get_total_norm([torch.tensor([3.]), torch.tensor([4.])]))
attempt(lambda: clip_grad_norm_((p for p in [a, b]), 1.))
attempt(lambda: clip_grad_norm_([3], 1.))
v = parameters_to_vector([a, b]); print(v)
vector_to_parameters(torch.tensor([7., 8., 9.]), [a, b]); print(a, b)
attempt(lambda: vector_to_parameters([1, 2], [a, b]))
attempt(lambda: vector_to_parameters(torch.ones(2), [a, b]))
attempt(lambda: torch.nn.utils.clip_grads_with_norm_([a], 1., torch.tensor(2.)))
print(a.grad)
attempt(lambda: torch.nn.utils.clip_grad_norm([a], 1.))
m = nn.Linear(1, 1); print(clip_grad_norm_(m.parameters(), 1.))
