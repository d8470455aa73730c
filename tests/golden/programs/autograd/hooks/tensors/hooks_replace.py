import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * 2
def show(name):
    def h(g):
        print(name, g)
    return h
h1 = y.register_hook(show("first"))
h2 = y.register_hook(lambda g: g * 10)
h3 = y.register_hook(show("third"))
z = y.sum()
z.backward(retain_graph=True)
print(x.grad)
h2.remove()
x.grad = None
z.backward(retain_graph=True)
print(x.grad)
h1.remove(); h3.remove(); h3.remove()
y.register_hook(lambda g: torch.ones(2))
try:
    z.backward(retain_graph=True)
except RuntimeError as e:
    print(e)
y2 = x * 3
y2.register_hook(lambda g: 5.0)
try:
    y2.sum().backward()
except Exception as e:
    print(type(e).__name__, e)
y3 = x * 3
y3.register_hook(lambda g: g.double())
try:
    y3.sum().backward()
    print(x.grad)
except Exception as e:
    print(type(e).__name__, e)
try:
    y3.register_hook(5)
except Exception as e:
    print(type(e).__name__, e)
