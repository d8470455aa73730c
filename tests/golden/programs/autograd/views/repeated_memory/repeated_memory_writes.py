import torch
b = torch.ones(2, 1).expand(2, 3)
b[:, 0] = 5
print(b)
b[0] = 2.
print(b, b._version)
for op in [lambda: b.fill_(7), lambda: b.zero_(), lambda: b.add_(1), lambda: b[0].add_(1), lambda: b[:, 1].add_(1), lambda: b.copy_(torch.ones(2, 3)), lambda: b.mul_(b), lambda: b.__setitem__((0, slice(None)), torch.ones(3)), lambda: b.__setitem__((slice(None), 0), torch.ones(2)), lambda: b.exp_(), lambda: b.clamp_(0, 1), lambda: b.t().add_(1), lambda: b.unsqueeze_(0), lambda: b.fill_(torch.tensor(4.))]:
    try:
        op()
        print('ok', b, b._version)
    except RuntimeError as e:
        print(e, b._version)
