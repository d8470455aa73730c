import torch

# Sixteen and more float32 samples come from vectorised polynomials; all bits are compared.
torch.manual_seed(0)
x = torch.randn(5000)
print(x.view(torch.int32)[:8].tolist(), x.view(torch.int32).sum().item())
print(torch.randn(3, 7).view(torch.int32).sum().item())
print(torch.empty(1001).normal_(0.5, 3.0).view(torch.int32).sum().item())
print(torch.randn(33, dtype=torch.float64).view(torch.int64).sum().item())
print(torch.empty(40, dtype=torch.float64).normal_(1.5, 0.25).view(torch.int64).sum().item())
print(torch.randn(18, dtype=torch.float16))
print(torch.randn(3, dtype=torch.complex64), torch.randn(20, dtype=torch.complex128)[-1])
print(torch.nn.Linear(40, 30).weight.view(torch.int32).sum().item())
