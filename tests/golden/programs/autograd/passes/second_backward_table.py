import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
v = torch.tensor([1., 2.], requires_grad=True)
cases = {
    'add': lambda: x + 1, 'sub': lambda: x - x, 'mul': lambda: x * 2, 'mul tensor': lambda: x * x, 'div': lambda: x / 2,
    'pow': lambda: x ** 2, 'neg': lambda: -x, 'exp': lambda: x.exp(), 'abs': lambda: x.abs(), 'sum': lambda: x.sum(),
    'sum dim': lambda: x.sum(0), 'mean': lambda: x.mean(), 'mean dim': lambda: x.mean(0), 'prod': lambda: x.prod(),
    'max': lambda: x.max(), 'max dim': lambda: x.max(0)[0], 'norm': lambda: x.norm(), 'mm': lambda: x.mm(x),
    'mv': lambda: x @ v, 't': lambda: x.t(), 'view': lambda: x.view(4), 'reshape': lambda: x.t().reshape(4),
    'permute': lambda: x.permute(1, 0), 'squeeze': lambda: x.squeeze(), 'unsqueeze': lambda: x.unsqueeze(0),
    'expand': lambda: v.expand(2, 2), 'cat': lambda: torch.cat([x, x]), 'stack': lambda: torch.stack([x, x]),
    'clone': lambda: x.clone(), 'row': lambda: x[0], 'slice': lambda: x[1:], 'list': lambda: x[[0, 1]],
    'mask': lambda: x[x > 1], 'clamp': lambda: x.clamp(0, 1), 'where': lambda: torch.where(x > 1, x, x),
    'maximum': lambda: torch.maximum(x, v), 'relu': lambda: x.relu(), 'double': lambda: x.double(), 'none': lambda: x[None],
}
for name, function in cases.items():
    y = function()
    y.backward(torch.ones_like(y))
    try:
        y.backward(torch.ones_like(y))
        print(name, 'again')
    except RuntimeError as error:
        print(name, str(error)[:50])
