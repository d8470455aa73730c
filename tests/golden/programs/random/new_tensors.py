import torch

print(torch.finfo(torch.float32), torch.iinfo(torch.int8), torch.finfo(torch.float16).eps)
print(
    torch.hann_window(5),
    torch.hamming_window(5, False),
    torch.blackman_window(4),
    torch.bartlett_window(5),
    torch.kaiser_window(4),
)
print(torch.logspace(0, 2, 5), torch.logspace(0, 3, 4, base=2, dtype=torch.int64), torch.range(1, 4, 0.5))
print(
    torch.empty_strided((2, 3), (1, 2)).stride(), torch.empty_permuted((2, 3), (1, 0)).stride(), torch.scalar_tensor(3)
)
print(torch.tensor([1.5, -2.7, 300.0]).char(), torch.tensor([-1], dtype=torch.uint8), torch.typename(torch.ones(1)))
print(
    torch.channels_last, torch.float32.to_complex(), torch.bool.is_signed, torch.asarray([1.0, 2.0], requires_grad=True)
)
print(torch.tensor([torch.tensor(1, dtype=torch.int32)]), torch.tensor([torch.ones(1), torch.tensor(2.0)]))
print(sorted([torch.tensor(3.0), torch.tensor(1.0)], key=torch.Tensor.item), type(torch.ones(1)) is torch.Tensor)
print(issubclass(torch.nn.Parameter, torch.Tensor), torch.Tensor.add(torch.ones(2), 1))
x = torch.ones(2, 3, 4, 5, requires_grad=True)
y = x.contiguous(memory_format=torch.channels_last)
print(y.is_contiguous(memory_format=torch.channels_last), y.is_contiguous(), y.grad_fn)
torch.ones(2, 3).contiguous(memory_format=torch.channels_last)
