import torch
x = torch.ones(3, requires_grad=True)
for f in [lambda: x.add_(1), lambda: x.__setitem__(0, 1.), lambda: x.view(3).add_(1), lambda: x.zero_(), lambda: x.t().mul_(2),
          lambda: x.detach().add_(1), lambda: x.data.add_(1), lambda: x.copy_(torch.zeros(3)), lambda: x.fill_(2), lambda: x.resize_(4),
          lambda: x.unsqueeze_(0), lambda: x.squeeze_(), lambda: x.t_(), lambda: x.requires_grad_(False), lambda: x.detach_(), lambda: x.set_(torch.ones(2)), lambda: x.normal_(), lambda: torch.relu_(x)]:
    x = torch.ones(3, requires_grad=True)
    try:
        r = f()
        print('ok', x.shape, x.requires_grad, x._version, x.is_leaf)
    except RuntimeError as e:
        print('RuntimeError', e)
