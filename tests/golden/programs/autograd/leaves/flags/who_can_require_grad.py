import torch
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
for f in (lambda: torch.tensor([1, 2], requires_grad=True), lambda: torch.ones(2, dtype=torch.int32, requires_grad=True),
          lambda: torch.tensor([True], requires_grad=True), lambda: torch.arange(3, requires_grad=True),
          lambda: torch.arange(3).requires_grad_(), lambda: torch.zeros(2).long().requires_grad_(True),
          lambda: torch.tensor([1+1j], requires_grad=True), lambda: torch.randint(0, 3, (2,), requires_grad=True),
          lambda: torch.full((2,), 3, requires_grad=True), lambda: torch.full((2,), 3., requires_grad=True),
          lambda: torch.nn.Parameter(torch.tensor([1, 2])), lambda: torch.nn.Parameter(torch.tensor([1, 2]), requires_grad=False),
          lambda: torch.eye(2, dtype=torch.long, requires_grad=True), lambda: torch.zeros_like(torch.tensor([1]), requires_grad=True),
          lambda: torch.as_tensor([1, 2]).requires_grad_(False)):
    attempt(f)
def setrg():
    x = torch.tensor([1, 2])
    x.requires_grad = True
attempt(setrg)
def setgrad():
    x = torch.tensor([1., 2.], requires_grad=True)
    x.grad = torch.tensor([1., 2.], dtype=torch.float64)
attempt(setgrad)
def setgrad2():
    x = torch.tensor([1., 2.], requires_grad=True)
    x.grad = torch.tensor([1, 2])
attempt(setgrad2)
def setgrad3():
    x = torch.tensor([1., 2.], requires_grad=True)
    x.grad = torch.tensor([1.])
attempt(setgrad3)
def setgrad4():
    x = torch.tensor([1., 2.], requires_grad=True)
    x.grad = 3.
attempt(setgrad4)
def setgrad5():
    x = torch.tensor([1., 2.], requires_grad=True)
    x.grad = x
attempt(setgrad5)
def setgrad6():
    x = torch.tensor([1, 2])
    x.grad = torch.tensor([1, 2])
    return x.grad
attempt(setgrad6)
x = torch.tensor([1., 2.], requires_grad=True)
print((x > 1).requires_grad, (x // 1).requires_grad, x.argmax().requires_grad, x.round().requires_grad, x.long().requires_grad, x.sort().indices.requires_grad)
print((x * torch.tensor([1, 2])).dtype, (x * True).dtype, (torch.tensor([1, 2]) * 2.5).dtype, (torch.tensor([1, 2]) / 2).dtype, (torch.tensor([True]) + torch.tensor([True])).dtype)
attempt(lambda: torch.tensor([True]) - torch.tensor([True]))
attempt(lambda: -torch.tensor([True]))
attempt(lambda: torch.tensor([1, 2]).mean())
attempt(lambda: torch.tensor([True, False]).sum())
attempt(lambda: torch.tensor([1, 2]).std())
attempt(lambda: torch.tensor([1, 2]).float().mean())
attempt(lambda: torch.tensor([1, 2]).softmax(0))
attempt(lambda: torch.tensor([1, 2]).sigmoid())
attempt(lambda: torch.tensor([1, 2]).norm())
attempt(lambda: torch.tensor([1, 2]).exp())
attempt(lambda: torch.relu(torch.tensor([-1, 2])))
attempt(lambda: torch.tensor([1, 2]).pow(-1))
attempt(lambda: torch.tensor([1, 2]) ** 2.)
attempt(lambda: 2 ** torch.tensor([1, 2]))
attempt(lambda: torch.tensor([1, 2]) // 0)
attempt(lambda: torch.tensor([1, 2]) % 0)
attempt(lambda: torch.nn.Linear(2, 1)(torch.tensor([1, 2])))
attempt(lambda: torch.tensor(1, dtype=torch.int8) + 200)
attempt(lambda: torch.tensor(1, dtype=torch.uint8) - 2)
attempt(lambda: torch.result_type(torch.tensor([1.]), 3j))
attempt(lambda: torch.promote_types(torch.int8, torch.uint8))
attempt(lambda: torch.can_cast(torch.float32, torch.int32))
