import torch

x = torch.zeros(3)
y = torch.zeros(2, 3)
cases = (
    (x, [0, 7], torch.ones(3)),
    (x, [0, 7], 1.0),
    (x, torch.tensor([[0], [9]]), torch.ones(3, 4, 5)),
    (y, (slice(None), [5, 6]), torch.ones(3, 3)),
    (y, ([5, 6], [0, 1, 2]), torch.ones(3, 3)),
    (y, ([5], 7), torch.ones(3, 3)),
)
for target, place, values in cases:
    try:
        target[place] = values
    except Exception as error:
        print(type(error).__name__, error)
for accumulate in (False, True):
    try:
        x.index_put((torch.tensor([0, 9]),), torch.ones(3), accumulate=accumulate)
    except Exception as error:
        print(type(error).__name__, error)
x[[0, 7]] = torch.ones(2)
