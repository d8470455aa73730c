import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
v = torch.tensor([1., 2.], requires_grad=True)
cases = [
    (lambda h: h.exp(), 'exp'), (lambda h: h * h, 'mul'), (lambda h: h ** 2, 'pow'), (lambda h: h.mm(h), 'mm'),
    (lambda h: h / x, 'div'), (lambda h: x / h, 'div2'), (lambda h: h.log(), 'log'), (lambda h: h.max(), 'max'),
    (lambda h: h.prod(), 'prod'), (lambda h: h.norm(), 'norm'), (lambda h: torch.maximum(h, x), 'maximum'),
    (lambda h: h.clamp(0, 1), 'clamp'), (lambda h: h.abs(), 'abs'), (lambda h: h.sum(), 'sum'), (lambda h: h @ v, 'mv'),
    (lambda h: h.relu(), 'relu'), (lambda h: h.sqrt(), 'sqrt'), (lambda h: h.tanh(), 'tanh'), (lambda h: h[0] * 2, 'scaled row'),
    (lambda h: h.t() * h, 'transposed'), (lambda h: torch.where(h > 0, h, x), 'where'),
]
for function, name in cases:
    h = x * 1
    out = function(h).sum()
    h += 1
    try:
        out.backward()
        print(name, 'fine')
    except RuntimeError as error:
        print(name, str(error).split('Hint')[0])
for function, name in cases:
    out = function(x * 1)
    try:
        out += 1
        out.sum().backward()
        print(name, 'fine')
    except RuntimeError as error:
        print(name, str(error).split('Hint')[0])
