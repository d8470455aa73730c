import torch
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True)
outs = [a * b, (a + b).sum(), a.exp()]
def attempt(tensors, grads, **kw):
    a.grad = b.grad = None
    try:
        torch.autograd.backward(tensors, grads, retain_graph=True, **kw)
        print(a.grad, b.grad)
    except Exception as e:
        print(type(e).__name__, e)
attempt(outs, [torch.ones(2), None, torch.ones(2)])
attempt(outs, [torch.ones(2), torch.tensor(2.), torch.tensor([0., 1.])])
attempt(outs, None)
attempt(outs, [torch.ones(2)])
attempt(outs[1], None)
attempt(outs[1], torch.tensor(3.))
attempt(outs[0], torch.ones(2))
attempt((outs[0], outs[1]), (torch.ones(2), None), inputs=[a])
attempt((outs[0], outs[1]), (torch.ones(2), None), inputs=b)
attempt((outs[0],), (torch.ones(2),), inputs=[])
attempt((outs[0],), (torch.ones(3),))
attempt((outs[0],), (torch.ones(2, requires_grad=True),), create_graph=True)
attempt([outs[0], a], [torch.ones(2), torch.ones(2)])
attempt([], [])
attempt([outs[0], 3.0], [torch.ones(2), None])
attempt([outs[0]], torch.ones(2))
attempt([outs[0]], grad_variables := [torch.ones(2)])
