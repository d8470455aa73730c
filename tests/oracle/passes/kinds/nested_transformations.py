import torch
from torch.func import grad, grad_and_value, vjp

torch.manual_seed(36)


def cubic(x):
    return torch.sin(x) * x**3


def loss(w, b, x):
    return ((w @ x + b).tanh() ** 2).sum()


x = torch.tensor(1.2)
print(grad(cubic)(x), grad(grad(cubic))(x), grad(grad(grad(cubic)))(x))
w, b, v = torch.randn(2, 3), torch.randn(2), torch.randn(3)
print(grad(loss, argnums=(0, 1))(w, b, v))
print(grad(lambda s: grad(loss)(w * s, b, v).pow(2).sum())(torch.tensor(0.5)))
print(grad(lambda s: grad_and_value(loss, 2)(w, b, v.exp() * s)[0].sum())(torch.tensor(0.5)))
output, pull = vjp(lambda q: torch.outer(q, q).exp(), torch.tensor([0.1, 0.2]))
print(pull(torch.ones(2, 2))[0])
outer = torch.tensor(0.7, requires_grad=True)
grad(lambda s: cubic(s) * outer)(torch.tensor(0.3)).backward()
print(outer.grad)
net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))


def solution(t):
    return net(t.reshape(1, 1)).squeeze()


residual = sum((grad(grad(solution))(t) + solution(t)).pow(2) for t in (torch.tensor(0.2), torch.tensor(0.9)))
residual.backward()
print([p.grad for p in net.parameters()])
