"""Values and gradients at the corners: complex bases and sums, equal neighbours, empty chunks, booleans, half."""

import torch

a = torch.tensor([-1.25, 2.0], dtype=torch.float64)
e = torch.tensor([0.5 - 1j, 2.0 + 1j], dtype=torch.complex128, requires_grad=True)
print(torch.autograd.grad((a**e).abs().sum(), e)[0].abs(), torch.autograd.grad(((-2.0) ** e).real.sum(), e))
(first,) = torch.autograd.grad((a**e).abs().sum(), e, create_graph=True)
print(torch.autograd.grad(first.abs().sum(), e)[0].abs())
c = torch.tensor([[1 + 2j, 0.5j], [1.0, -1 - 1j]], requires_grad=True)
for dim in (0, (0, 1)):
    print(torch.autograd.grad(torch.logsumexp(c, dim).abs().sum(), c))
x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
y = torch.tensor([0.5, 0.5, -1.0], requires_grad=True)
print(torch.autograd.grad(torch.nextafter(x, y).sum(), (x, y)))

empty = torch.ones(0, 3, requires_grad=True)
for cut in (lambda: empty.chunk(3), lambda: empty.chunk(2, 1), lambda: torch.unsafe_chunk(empty, 3)):
    pieces = cut()
    print([piece.shape for piece in pieces], pieces[0].grad_fn.name())

b = torch.tensor([True, False])
for compute in (
    lambda: b**True,
    lambda: b**False,
    lambda: b**b,
    lambda: b**2,
    lambda: True**b,
    lambda: 2**b,
    lambda: ~torch.ones(2),
    lambda: torch.bitwise_not(torch.ones(2)),
    lambda: torch.ones(2).bitwise_not_(),
    lambda: ~b,
    lambda: torch.bucketize(torch.tensor([0.5, 2.0]), b),
    lambda: torch.bucketize(b, torch.tensor([0.5, 2.0])),
    lambda: torch.bucketize(b, b),
    lambda: torch.searchsorted(torch.tensor([0.5, 1.5]), torch.tensor([1j])),
):
    try:
        print(compute())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)

half = torch.linspace(-4, 4, 9).half()
print(torch.sigmoid(half), torch.sinc(half), torch.nn.functional.silu(half))
