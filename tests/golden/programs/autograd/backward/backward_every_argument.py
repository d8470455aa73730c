import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.], requires_grad=True)
def mk(): return (x * y).sum()
for f in [lambda: mk().backward(inputs=[x]), lambda: mk().backward(inputs=x), lambda: mk().backward(inputs=[]), lambda: mk().backward(inputs=[torch.ones(2)]), lambda: mk().backward(inputs=5), lambda: mk().backward(torch.tensor(3.)), lambda: mk().backward(torch.tensor([3.])), lambda: mk().backward(3.), lambda: mk().backward(gradient=None, retain_graph=None), lambda: (x * 2).backward(), lambda: (x * 2).backward([1., 1.]), lambda: (x * 2).backward(torch.ones(2, 1)), lambda: (x * 2).backward(torch.ones(1)), lambda: (x * 2).backward(torch.ones(2, dtype=torch.int32)), lambda: (x * 2).backward(x), lambda: (x * 2).backward((torch.ones(2),)), lambda: torch.autograd.backward([x * 2, mk()], [torch.ones(2), None]), lambda: torch.autograd.backward([x * 2, mk()], [torch.ones(2)]), lambda: torch.autograd.backward(mk(), inputs=[x, y]), lambda: torch.autograd.backward((x * 2, x * 3), (torch.ones(2), torch.ones(2))), lambda: torch.autograd.backward([]), lambda: torch.autograd.backward(x.sum(), None, None, False, None), lambda: x.detach().backward(), lambda: torch.tensor(1).backward(), lambda: x.sum().backward(torch.tensor(1. + 0j)), lambda: mk().backward(keep_graph=True), lambda: mk().backward(create_graph='yes'), lambda: torch.autograd.backward(5), lambda: torch.autograd.backward([5]), lambda: mk().backward(torch.tensor(float('nan')))]:
    x.grad = y.grad = None
    try:
        f()
        print(x.grad, y.grad)
    except Exception as e:
        print(type(e).__name__, e)
