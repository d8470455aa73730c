import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    y = (x * x).sin()
x.data.mul_(100)
y.sum().backward()
print(x.grad)
with torch.autograd.graph.disable_saved_tensors_hooks('not here'):
    try:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            pass
    except RuntimeError as e:
        print(e)
outer, inner = [], []
with torch.autograd.graph.saved_tensors_hooks(lambda t: outer.append(t) or t, lambda t: t):
    a = x * x
    with torch.autograd.graph.saved_tensors_hooks(lambda t: inner.append(t) or t, lambda t: t):
        b = a * a
    c = b * b
print(len(outer), len(inner))
