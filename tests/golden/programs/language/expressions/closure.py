import torch
def scale_by(k):
    def f(x):
        return x * k
    return f
double = scale_by(2)
x = torch.tensor([1., 2.], requires_grad=True)
y = double(double(x))
print(y)
y.sum().backward()
print(x.grad)
