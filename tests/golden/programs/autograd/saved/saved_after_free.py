import torch
x = torch.tensor([2., 3.], requires_grad=True)
y = x ** 2
f = y.grad_fn
print(f._saved_self, f._saved_exponent, f._raw_saved_self)
y.sum().backward()
for n in ["_saved_self", "_saved_exponent", "_raw_saved_self"]:
    try:
        print(n, getattr(f, n))
    except RuntimeError as e:
        print(n, e)
z = x.exp()
r = z.grad_fn._raw_saved_result
r.register_hooks(lambda t: (print("pack"), t)[1], lambda t: (print("unpack"), t * 0 + 1)[1])
z.sum().backward()
print(x.grad)
try:
    r.register_hooks(lambda t: t, lambda t: t)
except RuntimeError as e:
    print(e)
w = x * 2
try:
    w.grad_fn._raw_saved_other.register_hooks(lambda t: t, lambda t: t)
except RuntimeError as e:
    print(e)
try:
    x.exp().grad_fn._saved_nothing
except AttributeError as e:
    print(e)
