import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
for t in (x, y, x.detach(), x.data, torch.ones(1)):
    print(t.requires_grad, t.is_leaf, t.grad_fn is None, t.retains_grad, t.output_nr, t._version, t._base is None, t._is_view())
print(hasattr(x, "grad"), hasattr(x, "foo"))
for f in (lambda: x.foo, lambda: setattr(x, "is_leaf", True), lambda: setattr(x, "grad_fn", None), lambda: y.grad_fn.foo, lambda: setattr(x, "requires_grad", 1), lambda: x.requires_grad_("yes")):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
x.note = "mine"
print(x.note)
y.requires_grad_()
print(y.requires_grad)
a, b = torch.ones(2, 2, requires_grad=True).unbind()
print(a.output_nr, b.output_nr, a.grad_fn is b.grad_fn, b._base is not None)
print(x.grad_fn, y.grad_fn.next_functions[0][0].variable is x)
print(type(x), type(x.grad), type(y.grad_fn).__name__)
