import torch
x = torch.tensor([-1., 1.], requires_grad=True)
torch.autograd.set_detect_anomaly(True)
y = x.sqrt().sum()
print(y)
y.backward()
