import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
total = torch.zeros(())
for v in x:
    total += v * v
print(total, total.grad_fn)
total.backward()
print(x.grad)
