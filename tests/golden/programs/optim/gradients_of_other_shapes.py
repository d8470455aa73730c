import torch

for name in ("SGD", "Adam", "RMSprop", "Adagrad"):
    weight = torch.ones(2, 3, requires_grad=True)
    weight.sum().backward()
    optimizer = getattr(torch.optim, name)([weight], lr=0.1)
    weight.data = torch.ones(3, 2)
    try:
        optimizer.step()
    except RuntimeError as error:
        print(name, error, weight.tolist())
    weight.grad = None

x = torch.arange(12.0)
x.as_strided_((2, 2), (4, 1), 6)
print(x, x.storage_offset(), x.as_strided((2,), (1,), 0))
y = torch.tensor([1 + 2j, 3j])
z = y.conj()
z.unsqueeze_(0)
z.mul_(2)
print(y, z, z.is_conj())
w = torch.tensor([[1 + 2j, 3j]]).mH
w.squeeze_()
print(w)
