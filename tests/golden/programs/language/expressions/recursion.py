import torch
def power(x, n):
    return x if n == 1 else x * power(x, n - 1)
x = torch.tensor(2., requires_grad=True)
y = power(x, 5)
y.backward()
print(y, x.grad)
