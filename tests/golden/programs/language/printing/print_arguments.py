import torch
x = torch.tensor([1.5])
print('a', x, 1, 2.0, None, True, sep=' | ', end='!\n')
print()
print(x, end='')
print('', [x, (x, {'k': x})])
print(repr('s'), 'multi\nline', '\ttab')
