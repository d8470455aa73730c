import torch
def make():
    x = torch.tensor([1., 2.], requires_grad=True)
    return x, x.exp()
x, y = make()
fn = y.grad_fn
y.sum().backward()
try:
    print(fn._saved_result)
except RuntimeError as e:
    print(e)
x, y = make()
print(y.grad_fn._saved_result)
print(y.grad_fn._saved_result.grad_fn is y.grad_fn)
y.mul_(2)
try:
    y.grad_fn.next_functions[0][0]._saved_result
except RuntimeError as e:
    print(e)
w = x / torch.tensor([2., 4.])
print(w.grad_fn._saved_self, w.grad_fn._saved_other)
c = x.clamp(0, 1.5)
print(c.grad_fn._saved_min, c.grad_fn._saved_max)
p = x.pow(3)
print(p.grad_fn._saved_exponent, p.grad_fn._saved_self is x)
s = x.sum(0, keepdim=True)
print(s.grad_fn._saved_dim, s.grad_fn._saved_keepdim, s.grad_fn._saved_self_sym_sizes)
try:
    s.grad_fn._saved_foo
except AttributeError as e:
    print(e)
