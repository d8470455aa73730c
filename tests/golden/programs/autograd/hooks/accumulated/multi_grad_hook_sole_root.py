import torch
a = torch.tensor(1., requires_grad=True)
b = torch.tensor(2., requires_grad=True)
c = a * b
d = c * b
def mh(grads):
    print('multi', [None if g is None else g.item() for g in grads])
h = torch.autograd.graph.register_multi_grad_hook((a, b, c), mh)
d.backward(retain_graph=True)
c.backward(retain_graph=True)
h.remove()
d.backward()
print(a.grad, b.grad)
