import torch
a = torch.arange(6.).reshape(2, 3)
tries = [
    lambda: a[2],
    lambda: a[-3],
    lambda: a[0, 3],
    lambda: a[0, 0, 0],
    lambda: a[torch.tensor([0, 2])],
    lambda: a[[0, -3]],
    lambda: a[torch.tensor([True, False, True])],
    lambda: a[torch.ones(2, 2) > 0],
    lambda: a[torch.tensor([0.5])],
    lambda: a[1.0],
    lambda: a[::-1],
    lambda: a[[0, 1], [0, 1, 2]],
    lambda: a[..., ...],
    lambda: torch.tensor(1.)[0],
    lambda: len(torch.tensor(1.)),
    lambda: list(torch.tensor(1.)),
    lambda: a.item(),
    lambda: float(a),
    lambda: int(a),
    lambda: bool(a),
]
for number, attempt in enumerate(tries):
    try:
        print(number, attempt())
    except Exception as error:
        print(number, type(error).__name__, error)
