import torch
x = torch.tensor(3.14159, requires_grad=True)
v = torch.tensor([1., 2.])
print(f'{x:.2f} {x} {v} {x.item():.3f}')
print('{:.1f} {}'.format(x, v))
print('%.2f' % x)
print(f'{v:.2f}')
