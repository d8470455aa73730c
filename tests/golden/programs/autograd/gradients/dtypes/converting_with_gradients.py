import torch
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
x = torch.tensor([1., 2.], requires_grad=True)
for name in ('float', 'double', 'half', 'int', 'long', 'short', 'bool', 'char', 'byte', 'cfloat', 'cdouble'):
    y = getattr(x, name)()
    print(name, y, y.requires_grad, y.is_leaf, y is x)
for dt in (torch.float16, torch.float32, torch.float64, torch.int32, torch.complex64):
    y = x.to(dt)
    print(y.dtype, y.grad_fn, y is x, x.type(dt).dtype)
print(x.type(), x.double().type(), x.type(torch.DoubleTensor), x.type('torch.DoubleTensor'))
print(x.to(torch.float32, copy=True), x.to(x.double()).dtype, x.to('cpu') is x, x.to('cpu', torch.float64).dtype)
print(x.float() is x, x.to(torch.float32) is x, x.type_as(x.double()))
attempt(lambda: x.to('cuda'))
attempt(lambda: x.to('foo'))
attempt(lambda: x.to(3))
attempt(lambda: x.to())
attempt(lambda: x.type('torch.Foo'))
attempt(lambda: x.cuda())
attempt(lambda: x.to(dtype=torch.float64, device='cpu').dtype)
y = x.double() * torch.tensor([3., 4.], dtype=torch.float64, requires_grad=True)
y.sum().backward()
print(x.grad, x.grad.dtype)
