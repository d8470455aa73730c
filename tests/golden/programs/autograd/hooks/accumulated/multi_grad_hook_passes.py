import torch
a = torch.tensor(1., requires_grad=True)
b = torch.tensor(2., requires_grad=True)
c = a * b
d = c * b
e = d + c
calls = []
h = torch.autograd.graph.register_multi_grad_hook((a, b, c, d), lambda gs: print([None if g is None else g.item() for g in gs]))
e.backward(retain_graph=True)
print('--- d'); d.backward(retain_graph=True)
print('--- c'); c.backward(retain_graph=True)
print('--- inputs a'); e.backward(inputs=[a], retain_graph=True)
print('--- inputs a, c'); e.backward(inputs=[a, c], retain_graph=True)
try:
    print('--- grad a'); torch.autograd.grad(e, a, retain_graph=True)
except RuntimeError as err:
    print(err)
try:
    print('--- grad a b'); torch.autograd.grad(e, [a, b], retain_graph=True)
except RuntimeError as err:
    print(err)
print('--- grad c'); torch.autograd.grad(e, c, retain_graph=True)
print('--- grad d c'); torch.autograd.grad(e, [d, c], retain_graph=True)
print('--- two roots'); torch.autograd.backward([c, d], retain_graph=True)
h.remove()
e.backward()
