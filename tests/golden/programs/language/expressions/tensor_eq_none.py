import torch
x = torch.ones(2)
print(x == None, x != None)
print(x == 'a')
print(1 in x, 5 in x)
try:
    'a' in x
except RuntimeError as e:
    print(e)
print(x is None)
