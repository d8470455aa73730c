import torch
x = torch.arange(6.).view(2, 3)
for f in (lambda: x.view(4), lambda: x.t().view(6), lambda: x.reshape(-1, 4), lambda: x.view(-1, -1), lambda: x.view(7, -1)):
    try:
        f()
    except RuntimeError as e:
        print(e)
