import torch
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
def raises(g):
    raise RuntimeError('in hook of x')
x.register_hook(raises)
try:
    (x * y).sum().backward()
except RuntimeError as e:
    print(e)
print(x.grad, y.grad)
def post(p):
    raise ValueError('post hook')
y.register_post_accumulate_grad_hook(post)
try:
    (y * 2).sum().backward()
except ValueError as e:
    print(e)
print(y.grad)
def pre(gs):
    raise TypeError('pre')
z = y * 3
z.grad_fn.register_prehook(pre)
z.sum().backward()
