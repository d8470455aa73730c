import torch
@torch.no_grad()
def gen(x):
    for i in range(3):
        got = yield (x * i).requires_grad
        print('got', got, torch.is_grad_enabled())
x = torch.ones(1, requires_grad=True)
it = gen(x)
print(next(it), torch.is_grad_enabled())
print(it.send('a'), torch.is_grad_enabled())
for v in it:
    print(v, torch.is_grad_enabled())
@torch.enable_grad()
def gen2():
    try:
        yield torch.is_grad_enabled()
        yield 2
    finally:
        print('closing', torch.is_grad_enabled())
with torch.no_grad():
    it = gen2()
    print(next(it), torch.is_grad_enabled())
    it.close()
@torch.no_grad()
def gen3():
    try:
        yield 1
    except ValueError as e:
        print('caught', e, torch.is_grad_enabled())
        yield 2
it = gen3()
next(it)
print(it.throw(ValueError('boom')))
print(torch.is_grad_enabled())
