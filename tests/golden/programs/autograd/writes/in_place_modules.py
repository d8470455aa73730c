import torch
relu = torch.nn.ReLU(inplace=True)
x = torch.tensor([-1., 2.], requires_grad=True)
y = x * 2
z = relu(y)
print(z is y, y, y.grad_fn)
z.sum().backward()
print(x.grad)
y = torch.sigmoid(x)
relu(y)
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(inplace=True), torch.nn.Linear(2, 1))
m(x.detach()).backward()
print(m[0].weight.grad.shape)
d = torch.nn.Dropout(0.5, inplace=True)
d.eval()
w = x * 1
print(d(w) is w)
h = torch.nn.functional.leaky_relu(x * 1, 0.1, inplace=True)
print(h)
print(torch.nn.functional.elu_(x * 1).grad_fn, torch.nn.functional.hardtanh_(x * 1).grad_fn, torch.nn.functional.threshold_(x * 1, 0, 0).grad_fn)
