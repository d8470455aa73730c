import torch
from torch.func import vjp, jvp
x = torch.tensor([1., 2.])
out, pull = vjp(lambda x: x ** 2, x)
print(out, pull(torch.ones(2)))
print(jvp(torch.sin, (x,), (torch.ones(2),)))
out, pull = vjp(lambda a, b: (a * b, a + b), x, x)
print(pull((torch.ones(2), torch.ones(2))))
