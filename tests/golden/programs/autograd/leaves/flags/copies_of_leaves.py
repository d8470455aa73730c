import torch
import copy
x = torch.tensor([1., 2.], requires_grad=True)
(x * 2).sum().backward()
y = copy.deepcopy(x)
print(y, y.grad, y.grad is x.grad, y is x)
z = copy.copy(x)
print(z, z.grad, z.requires_grad, z.is_leaf)
try:
    copy.deepcopy(x * 2)
except RuntimeError as e:
    print(e)
print(copy.deepcopy((x * 2).detach()))
d = copy.deepcopy({'a': x, 'b': [x, x]})
print(d['b'][0] is d['b'][1], d['a'] is d['b'][0])
n = torch.nn.Linear(1, 1)
m = copy.deepcopy(n)
print(torch.equal(n.weight, m.weight), n.weight is m.weight)
