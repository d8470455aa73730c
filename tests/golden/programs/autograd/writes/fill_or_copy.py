import torch
x=torch.tensor([1.,2.],requires_grad=True)
s=torch.tensor(3.)
r=torch.tensor(3.,requires_grad=True)
for f in (lambda y: y.__setitem__(0,s), lambda y: y.__setitem__(slice(None),s), lambda y: y.__setitem__(Ellipsis,s), lambda y: y.__setitem__(0,r), lambda y: y.__setitem__(slice(None),r),lambda y: y.__setitem__(Ellipsis,r), lambda y: y.copy_(s), lambda y: y.copy_(r), lambda y: y.fill_(r), lambda y: y.fill_(s), lambda y: y.fill_(2.), lambda y: y.__setitem__(Ellipsis,2.),lambda y: y.__setitem__(slice(None),2.),lambda y: y.__setitem__(slice(0,1),2.),lambda y: y.__setitem__(slice(0,1),r), lambda y: y.__setitem__(Ellipsis,torch.tensor([5.])), lambda y: y.__setitem__(0,torch.tensor([5.])), lambda y: y.__setitem__(y>0,r), lambda y: y.__setitem__([0],r)):
    y=x*1; f(y); z=y.sum(); x.grad=r.grad=None; z.backward()
    print(y.grad_fn.name(), [None if g[0] is None else g[0].name() for g in y.grad_fn.next_functions], y._version, x.grad, r.grad)
