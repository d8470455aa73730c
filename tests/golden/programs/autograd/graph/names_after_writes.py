import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
def after(write):
    y = x * 1
    write(y)
    return y.grad_fn.name(), y._version
def item(y): y[0] = 1.
def element(y): y[0, 1] = 5.
def column(y): y[:, 1] = x[0]
def mask(y): y[y > 2] = 0.
def listed(y): y[[0, 1], [1, 0]] = 2.
def whole(y): y[:] = x
def ellipsis(y): y[...] = 3.
def view(y): y.view(4).mul_(2)
def column_add(y): y[:, 0] += 1
for write in (item, element, column, mask, listed, whole, ellipsis, view, column_add):
    print(write.__name__, after(write))
for name in ('add_', 'sub_', 'mul_', 'div_'):
    y = x * 1
    print(name, getattr(y, name)(2).grad_fn.name())
for name in ('exp_', 'log_', 'sqrt_', 'abs_', 'neg_', 'sin_', 'cos_', 'tan_', 'tanh_', 'sigmoid_', 'relu_', 'zero_', 't_'):
    y = x * 1
    print(name, getattr(y, name)().grad_fn.name())
y = x * 1
y.clamp_(0, 1)
print(y.grad_fn.name())
y.fill_(2.)
print(y.grad_fn.name())
y.copy_(x)
print(y.grad_fn.name())
y.pow_(2)
print(y.grad_fn.name(), y._version)
