import torch

x = torch.tensor([-1.5, -0.2, 0.31, 0.9, 3.0, float("nan"), float("inf")], requires_grad=True)
y = torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -10, 10)
print(y)
y.sum().backward()
print(x.grad)
print(torch.fake_quantize_per_tensor_affine(x.double(), torch.tensor(0.25), torch.tensor(3), -8, 7))
w = torch.tensor([[0.31, -0.52, 0.11], [0.27, -2.0, 0.95]], requires_grad=True)
q = torch.fake_quantize_per_channel_affine(w, torch.tensor([0.1, 0.2]), torch.zeros(2, dtype=torch.int32), 0, -4, 4)
print(q)
q.pow(2).sum().backward()
print(w.grad)
print(torch.fake_quantize_per_channel_affine(w, torch.tensor([0.1, 0.2, 0.5]), torch.tensor([0, 1, -1]).int(), 1, -4, 4))
for wrong in (
    lambda: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 10, -10),
    lambda: torch.fake_quantize_per_tensor_affine(x, 0.1, 20, -10, 10),
    lambda: torch.fake_quantize_per_tensor_affine(x.detach().nan_to_num(0, 0, 0).int(), 0.1, 0, -10, 10),
    lambda: torch.fake_quantize_per_channel_affine(w, torch.ones(3), torch.zeros(3).int(), 0, -4, 4),
    lambda: torch.fake_quantize_per_channel_affine(w, torch.ones(2), torch.zeros(2).long(), 0, -4, 4),
    lambda: torch.fake_quantize_per_channel_affine(w, torch.ones(2).double(), torch.zeros(2).int(), 0, -4, 4),
):
    try:
        print(wrong())
    except Exception as error:
        print(type(error).__name__, error)
