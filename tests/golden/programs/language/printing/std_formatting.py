import torch
x = torch.tensor([1e-5, 2e-5], requires_grad=True)
print(x)
print(x * 1e5)
print(x.sum())
print(torch.tensor(1e-5), torch.tensor(123456.), torch.tensor(1234567.8), torch.tensor(0.1, dtype=torch.float64))
