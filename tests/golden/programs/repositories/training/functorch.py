import torch
from functorch import make_functional, make_functional_with_buffers, vmap, grad, jacrev
m = torch.nn.Linear(2, 1)
f, p = make_functional(m)
print(torch.equal(f(p, torch.ones(1, 2)), m(torch.ones(1,2))), len(p))
print(grad(torch.sin)(torch.tensor(0.)), vmap(torch.sum)(torch.ones(2,3)))
