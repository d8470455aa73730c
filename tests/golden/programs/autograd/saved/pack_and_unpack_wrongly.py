import torch
x = torch.tensor([1., 2.], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    y = x.exp()
    print(y.grad_fn._saved_result is y)
y.sum().backward()
print(x.grad)
def bad_pack(t):
    t.mul_(2)
    return t
try:
    with torch.autograd.graph.saved_tensors_hooks(bad_pack, lambda t: t):
        (x * x)
except RuntimeError as e:
    print(str(e)[:100])
for unpack in [lambda t: 5, lambda t: t.double(), lambda t: t[:1], lambda t: None]:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        y = x * x
    try:
        y.sum().backward()
        print(x.grad)
    except Exception as e:
        print(type(e).__name__, str(e)[:200])
def raising(t):
    raise RuntimeError('pack failed')
with torch.autograd.graph.saved_tensors_hooks(raising, lambda t: t):
    x * x
