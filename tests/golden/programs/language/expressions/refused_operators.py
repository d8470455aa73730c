import torch

x, b, i, z = torch.ones(2, 3), torch.tensor([True, False]), torch.tensor([1, 2]), torch.tensor([1 + 2j, 3j])
e = torch.tensor([])
for number, act in enumerate(
    (
        lambda: x @ 3,
        lambda: 3 @ x,
        lambda: x @ "a",
        lambda: x + "a",
        lambda: +b,
        lambda: -b,
        lambda: 1 - b,
        lambda: b - 1,
        lambda: b - b,
        lambda: b - x[:, 0],
        lambda: b // b,
        lambda: i // 2j,
        lambda: i % 2j,
        lambda: torch.fmod(z, 2),
        lambda: i.add(i, alpha=1.5),
        lambda: x.add(x, alpha=2j),
        lambda: x.sub(x, alpha=True),
        lambda: print(b.add(b, alpha=2), b.add(b, alpha=0), i.add(i, alpha=3), x[0].sub(x[0], alpha=0.5)),
        lambda: z < 1,
        lambda: i >= 2j,
        lambda: z.max(),
        lambda: z.max(0),
        lambda: z.amin(0),
        lambda: z.argmax(),
        lambda: b.argmax(0),
        lambda: e.argmax(),
        lambda: e.max(0),
        lambda: torch.ones(0, 3).amax(0),
        lambda: e.amin(),
        lambda: float(z[0]),
        lambda: int(z[0]),
        lambda: x.shape + 1,
        lambda: torch.addcmul(x, x, torch.ones(4)),
        lambda: torch.clamp(x, torch.ones(4), torch.ones(3)),
        lambda: x.add(1, 2, 3),
        lambda: x.clamp(min=x, max=1),
        lambda: torch.add(x, foo=1, bar=2, alpha=3),
    )
):
    try:
        act()
    except Exception as error:
        print(number, type(error).__name__, error)
print(x.shape.foo)
