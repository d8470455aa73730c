import torch
xs = torch.linspace(-1, 1, 5)
ys = 1 - xs + 2 * xs ** 2
c = torch.zeros(3, requires_grad=True)
for step in range(20):
    prediction = sum(c[k] * xs ** k for k in range(3))
    loss = ((prediction - ys) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        c -= 0.5 * c.grad
        c.grad = None
    if step % 5 == 0:
        print(f'{step:2d} {loss:.6f} {c.tolist()[0]:.3f}')
print(c)
