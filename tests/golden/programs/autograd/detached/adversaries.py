import torch
real = torch.tensor([1.], requires_grad=True)
disc = torch.tensor([2.], requires_grad=True)
fake = real * 3
d_loss = (fake.detach() * disc).sum()
d_loss.backward()
print(real.grad, disc.grad)
with torch.no_grad():
    disc -= 0.1 * disc.grad
g_loss = (fake * disc).sum()
g_loss.backward()
print(real.grad, disc.grad)
d2 = (fake * disc).sum()
with torch.no_grad():
    disc -= 0.1
try:
    d2.backward()
except RuntimeError as e:
    print(e)
