import torch
x = torch.tensor([1., 2.], requires_grad=True)
opt = torch.optim.SGD([x], lr=0.5)
l1 = (x ** 2).sum()
l2 = (x ** 3).sum()
l1.backward()
opt.step()
print(x, x._version)
try:
    l2.backward()
except RuntimeError as e:
    print(e)
l1 = (x * 2).sum(); l2 = (x * 3).sum()
l1.backward(); opt.step(); l2.backward()
print(x.grad)
with torch.enable_grad():
    x.data -= 1
print(x)
