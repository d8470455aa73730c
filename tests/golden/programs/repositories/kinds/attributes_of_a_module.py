import torch
m = torch.nn.Linear(1, 1)
print(sorted(m.__dict__)[:5], m.__dict__['in_features'], 'training' in m.__dict__)
m.__dict__.update({'foo': 3}); print(m.foo)
