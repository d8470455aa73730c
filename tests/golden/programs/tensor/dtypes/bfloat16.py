import torch

x = torch.tensor([1.2031, -2.7, 3e38, 1e-40, float("nan"), float("-inf")], dtype=torch.bfloat16)
print(x, x.dtype, x.element_size(), x.itemsize, x.nbytes, x.type())
print(x.tolist(), x[0].item(), f"{x[0]:.3f}", repr(x[1]), float(x[0]), int(x[1]), bool(x[0]))
print(torch.zeros(2, dtype=torch.bfloat16), torch.ones(1, 2).bfloat16(), torch.full((2,), 0.1, dtype=torch.bfloat16))
print(torch.arange(0, 2, 0.3, dtype=torch.bfloat16), torch.linspace(0, 1, 5, dtype=torch.bfloat16), torch.eye(2, dtype=torch.bfloat16))
print(torch.finfo(torch.bfloat16), torch.finfo(torch.bfloat16).bits, torch.bfloat16.is_floating_point, torch.bfloat16.to_complex())
torch.manual_seed(0)
print(torch.randn(3, dtype=torch.bfloat16), torch.randn(18, dtype=torch.bfloat16), torch.rand(3, dtype=torch.bfloat16))

a = torch.tensor([1.5, 2.25], dtype=torch.bfloat16)
others = [torch.ones(2), torch.ones(2).half(), torch.ones(2).double(), torch.ones(2, dtype=torch.int64), torch.tensor(True)]
print([(a + o).dtype for o in others], [(o * a).dtype for o in others], (a + 1).dtype, (a * 2.5).dtype, (a * 1j).dtype)
print([torch.promote_types(torch.bfloat16, o.dtype) for o in others], torch.result_type(a, torch.tensor(1.0)))
print(a > 2, a == 1.5, a / 3, a // 2, a % 0.7, a ** 2, -a, abs(a), a.exp(), a.log(), a.sqrt(), 1 / a)
print(a.sum(), a.mean(), a.prod(), a.var(), a.norm(), a.max(), a.argmax(), a.cumsum(0), a.softmax(0), a @ a)
print(a.to(torch.float32), a.double(), a.half(), a.int(), torch.tensor([1.00390625, 1.01171875, 1.002]).bfloat16())
print(a.view(torch.int16), a.to(torch.bfloat16) is a, a.clone(), a[1:], torch.cat([a, a]), torch.stack([a, a]).T)

b = torch.ones(2)
b += a
print(b, a.mul_(b), a.is_floating_point(), torch.is_floating_point(a), torch.allclose(a, a), torch.equal(a, a.clone()))

for attempt in (
    lambda: a.numpy(),
    lambda: torch.full((2,), 1e39, dtype=torch.bfloat16),
    lambda: torch.ones(2, 2, dtype=torch.bfloat16) @ torch.ones(2, 2),
    lambda: torch.linalg.inv(torch.eye(2, dtype=torch.bfloat16)),
    lambda: torch.linalg.cholesky(torch.eye(2, dtype=torch.bfloat16)),
    lambda: torch.fft.fft(a),
    lambda: torch.complex(a, a),
    lambda: torch.special.airy_ai(a),
):
    try:
        print(attempt())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)

torch.set_default_dtype(torch.bfloat16)
print(torch.tensor([1.5]), torch.zeros(2), torch.tensor([1.5], dtype=torch.float32), torch.nn.Linear(2, 1).weight.dtype)
