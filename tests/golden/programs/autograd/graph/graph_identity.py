import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x * x
s = y.sum()
print(s.grad_fn.next_functions[0][0] is y.grad_fn, s.grad_fn.next_functions[0][0] == y.grad_fn)
acc = y.grad_fn.next_functions[0][0]
print(acc, acc.variable is x, y.grad_fn.next_functions[1][0] is acc)
def walk(fn, depth=0):
    if fn is None:
        return
    print(' ' * depth + fn.name(), fn.requires_grad if hasattr(fn, 'requires_grad') else '')
    for f, i in fn.next_functions:
        walk(f, depth + 1)
walk((s * 2 + y.mean()).grad_fn)
print(hash(acc) == hash(x.view(3).grad_fn.next_functions[0][0]))
print({y.grad_fn: 1}[s.grad_fn.next_functions[0][0]])
