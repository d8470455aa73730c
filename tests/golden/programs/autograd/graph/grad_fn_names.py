import torch
x = torch.tensor([[0.5, 1.5], [2.5, 3.5]], requires_grad=True)
v = torch.tensor([1., 2.], requires_grad=True)
m = torch.tensor([[True, False], [True, True]])
b = torch.ones(2, 2, 2, requires_grad=True)
results = [
    x + 1, 1 + x, x + x, x - 1, 1 - x, x - x, x * 2, 2 * x, x * x, x / 2, 2 / x, x / x, -x,
    x ** 2, 2 ** x, x ** x, x ** 0.5, x.pow(2), x // 2, x % 2,
    torch.exp(x), torch.log(x), torch.sqrt(x), torch.abs(x), torch.neg(x), torch.sin(x), torch.cos(x), torch.tan(x),
    torch.tanh(x), torch.sigmoid(x), torch.relu(x),
    x.clamp(0, 1), x.clamp(min=0), x.clamp(max=1), x.clamp(v, v + 1), torch.where(m, x, x), torch.where(m, x, 0.),
    torch.maximum(x, v), torch.minimum(x, v), torch.max(x, v),
    x.sum(), x.sum(0), x.sum(0, keepdim=True), x.mean(), x.mean(1), x.prod(), x.prod(0),
    x.max(), x.min(), x.max(0)[0], x.min(0).values, x.norm(), x.norm(dim=1), x.norm(1),
    x.mm(x), x @ x, x @ v, v @ x, v @ v, x.mv(v), v.dot(v), torch.bmm(b, b), b @ x, x @ b, b @ v, b @ b, torch.outer(v, v),
    x.t(), x.T, x.mT, x.transpose(0, 1), x.permute(1, 0), x.view(4), x.view(2, 2), x.reshape(4), x.t().reshape(4),
    x.flatten(), x.squeeze(), x.squeeze(0), x.unsqueeze(0), v.expand(2, 2), v.expand(2),
    torch.cat([x, x]), torch.stack([x, x]), x.clone(),
    x[0], x[:1], x[:, 0], x[..., 0], x[None], x[0, 1], x[m], x[[0, 1]], x[torch.tensor([0])], x[:], x[:, [0]],
    x.double(), x.to(torch.float64), x.unbind()[0], x.chunk(2)[0], x.split(1)[0], x.abs().sum().sqrt(),
]
for number, result in enumerate(results):
    print(number, result.grad_fn.name(), tuple(result.shape))
