import torch
p=torch.ones(2); g=torch.ones(2)
p.add_(-0.1, g)
p.add_(-0.2, g)
print(p); print(torch.add(p, 2, g))
print(torch.addcmul(p, 2, g, g), p.addcdiv_(0.5, g, g))
print(torch.addmm(0.5, torch.ones(2,2), torch.ones(2,2), torch.ones(2,2)))
print(torch.addmm(0.5, torch.ones(2,2), 2, torch.ones(2,2), torch.ones(2,2)))
p.sub_(2, g); torch.sub(p, 2, g)
w = torch.ones(2, requires_grad=True)
y = w.add(3, w).sub(0.5, g)
y.sum().backward()
print(y, w.grad, p.baddbmm if False else "", torch.addmv(2, p, torch.eye(2), g), torch.addr(0.5, torch.eye(2), g, g))
try:
    p.add_(1, 2, 3)
except TypeError as error:
    print(error)
