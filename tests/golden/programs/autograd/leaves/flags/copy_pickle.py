import torch, copy
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
for f in (copy.copy, copy.deepcopy):
    for t in (x, y):
        try:
            c = f(t)
            print(c, c.requires_grad, c.is_leaf, c is t)
        except Exception as e:
            print(type(e).__name__, e)
x.grad = torch.ones(2)
d = copy.deepcopy(x)
print(d.grad, d.grad is x.grad)
print(copy.deepcopy({"a": x, "b": [x]}))
m = torch.nn.Linear(1, 1)
m2 = copy.deepcopy(m)
print(m2.weight is m.weight, torch.equal(m.weight, m2.weight), m2.weight.requires_grad)
