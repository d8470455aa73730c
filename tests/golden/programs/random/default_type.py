import torch

torch.set_default_tensor_type(torch.DoubleTensor)
print(
    torch.ones(2),
    torch.randn(2).dtype,
    torch.normal(0.0, 1.0, (2,)).dtype,
    torch.logspace(0, 1, 2).dtype,
    torch.hann_window(3).dtype,
)
print(torch.tensor([1, 2]) / 3, torch.finfo().bits, torch.tensor([1.0]) + 1j, torch.ones(2, dtype=torch.float32))
torch.set_default_tensor_type(torch.LongTensor)
