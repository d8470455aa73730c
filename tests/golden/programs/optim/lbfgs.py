"""L-BFGS on Rosenbrock's function, with a closure, with and without a line search."""
import torch

for search in (None, "strong_wolfe"):
    x = torch.tensor([-1.0, 1.5], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], lr=1.0 if search else 0.1, max_iter=5, line_search_fn=search)
    calls = 0

    def closure():
        global calls
        calls += 1
        optimizer.zero_grad()
        loss = (1 - x[0]) ** 2 + 5 * (x[1] - x[0] ** 2) ** 2
        loss.backward()
        return loss

    for _ in range(4):
        loss = optimizer.step(closure)
        print(search, f"{loss.item():.5f}", calls)
    print([f"{v:.4f}" for v in x.tolist()])
print(optimizer)
try:
    torch.optim.LBFGS([{"params": [x]}, {"params": [x.detach().clone().requires_grad_()]}])
except ValueError as error:
    print(error)
