"""What is refused first, and what is refused at all."""
import torch
import torch.nn as nn


def attempt(name, f):
    try:
        print(name, f())
    except Exception as error:
        print(name, type(error).__name__, error)


leaf = torch.ones(2, 3, requires_grad=True)
attempt('leaf before shape', lambda: leaf.add_(torch.ones(5)))
attempt('leaf before shape', lambda: leaf.mul_(torch.ones(2, 2)))
attempt('dtype before shape', lambda: nn.Linear(3, 2)(torch.ones(2, 2, dtype=torch.float64)))
attempt('last dimension first', lambda: torch.ones(3, 2).expand(2, 3))
attempt('dims of a scalar', lambda: torch.tensor(1.).transpose(0, 1))
attempt('dims of a scalar', lambda: torch.tensor(1.).transpose(0, -1))
with torch.no_grad():
    view = leaf.view(-1)
print(view.requires_grad, view.is_leaf, view.grad_fn)
attempt('a view made without gradients', lambda: view.backward(torch.ones(6)))
x = torch.tensor([[1., 2., 3.]], requires_grad=True)
y = x * 2
x.data = torch.tensor(5.)
attempt('data of another shape', lambda: y.sum().backward())
print(torch.empty(0).stride(), torch.empty(2, 0, 3).stride(), torch.zeros(3, 0).stride())
print(torch.mul(1.5, 3.0), torch.add(1, 2), torch.mul(2, 3.5).dtype)
attempt('a named result', lambda: torch.ones(2, 2).max(0).grad)
attempt('a named result', lambda: torch.ones(2, 2).sort().shape)
attempt('an unknown keyword', lambda: torch.erfinv(torch.ones(2), foo=1))
w = torch.randn(4, 3, requires_grad=True)
torch.nn.functional.linear(torch.ones(5, 3), w).sum().backward()
print(w.grad.stride(), w.grad.is_contiguous())
print(torch.histogram(torch.tensor([1., 2., 1.]), bins=4, range=(0., 3.)))
print(torch.put(torch.zeros(3), torch.tensor([1]), torch.tensor([5.])))
