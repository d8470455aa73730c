import torch
import torch.nn.functional as F

torch.manual_seed(0)
x = torch.randn(3, 2, requires_grad=True)
w = torch.randn(4, 2, requires_grad=True)
results = {
    "cdist": lambda: torch.cdist(x, w),
    "distance of order 1": lambda: torch.cdist(x, w, p=1.0),
    "pdist": lambda: F.pdist(x),
    "bag": lambda: F.embedding_bag(torch.tensor([0, 2, 1]), x, torch.tensor([0, 2])),
    "largest of a bag": lambda: F.embedding_bag(torch.tensor([0, 2, 1]), x, torch.tensor([0, 2]), mode="max"),
}
for name, result in results.items():
    gradients = torch.autograd.grad((result() ** 2).sum(), [x, w], create_graph=True, allow_unused=True)
    print(name, [None if g is None else g.grad_fn.name() for g in gradients])
    try:
        gradients[0].sum().backward()
    except NotImplementedError as error:
        print(error)
