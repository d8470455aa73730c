import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.rand(5, dtype=torch.float64).mul(0.6).add(0.2).requires_grad_()
y = torch.rand(5, dtype=torch.float64).mul(0.6).add(0.2).requires_grad_()


def twice(result, *leaves):
    grads = torch.autograd.grad((result * result.conj()).real.sum(), leaves, create_graph=True)
    sum((g * g).sum() for g in grads).backward()


twice(torch.sinc(x), x)
twice(torch.acosh(x + 1), x)
twice(torch.polar(x, y), x, y)
twice(torch.logaddexp2(x, y), x, y)
twice(torch.ldexp(x, y), x, y)
twice(torch.float_power(x.float(), y), x, y)
twice(torch.fmax(x[0], y[0]), x, y)
twice(x[0].max(), x)
twice(torch.remainder(x, y), x, y)
twice(F.binary_cross_entropy(x, y), x, y)
twice(F.binary_cross_entropy_with_logits(x, y), x, y)
twice(F.binary_cross_entropy_with_logits(x, y, pos_weight=torch.tensor([2.0], dtype=torch.float64)), x, y)
twice(torch.zeros(3, 5, dtype=torch.float64).index_put((torch.tensor([2, 1]),), x.expand(2, 5), accumulate=True), x)
twice(x.masked_fill(x > 0.5, y[0]), x, y)
twice(torch.linalg.vector_norm(x, 0.5), x)
twice(torch.cdist(torch.stack([x, y]), torch.stack([x * y, x + y, x - y]), compute_mode="use_mm_for_euclid_dist"), x, y)
twice(torch.linalg.qr(x[:4].reshape(2, 2))[1] + torch.linalg.qr(x[:4].reshape(2, 2))[0], x)
twice(torch.scatter_reduce(x, 0, torch.tensor([0, 0, 1]), y[:3], "prod"), x, y)
twice(F.max_unpool1d(x.reshape(1, 1, 5), torch.tensor([[[0, 2, 4, 6, 8]]]), 2, output_size=(10,)), x)
