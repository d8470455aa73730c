import torch
x = torch.tensor([1., 2.], requires_grad=True)
tries = [
    lambda: x.foo,
    lambda: x.foo(),
    lambda: x.backwards(),
    lambda: torch.foo,
    lambda: torch.nn.functional.foo,
    lambda: torch.autograd.foo,
    lambda: undefined,
    lambda: x.grad.data,
    lambda: x.sum(foo=1),
    lambda: x(1),
    lambda: None + 1,
    lambda: {}['k'],
    lambda: [][0],
    lambda: int('x'),
    lambda: (1, 2) + [3],
]
for number, attempt in enumerate(tries):
    try:
        print(number, attempt())
    except Exception as error:
        print(number, type(error).__name__, str(error).split('\n')[0])
