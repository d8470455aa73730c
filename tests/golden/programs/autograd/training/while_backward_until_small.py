import torch
x = torch.tensor(4., requires_grad=True)
count = 0
while True:
    y = (x - 1) ** 2
    x.grad = None
    y.backward()
    if x.grad.abs() < 0.1:
        break
    x.data -= 0.4 * x.grad
    count += 1
print(count, x, y)
