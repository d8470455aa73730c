import torch
class Line:
    def __init__(self, w, b):
        self.w = torch.tensor(w, requires_grad=True)
        self.b = torch.tensor(b, requires_grad=True)
    def __call__(self, x):
        return self.w * x + self.b
model = Line(2., -1.)
x = torch.tensor([1., 2., 3.])
target = torch.tensor([2., 4., 6.])
for epoch in range(3):
    loss = ((model(x) - target) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        model.w -= 0.1 * model.w.grad
        model.b -= 0.1 * model.b.grad
    model.w.grad.zero_()
    model.b.grad.zero_()
    print(epoch, f'{loss.item():.4f}', model.w, model.b)
