import torch

w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = torch.tensor([0.5, 0.25], requires_grad=True)
optimizer = torch.optim.SGD([w, v], lr=0.1)
for turn in range(4):
    optimizer.zero_grad(set_to_none=False)
    loss = (w * w).sum() * 0.3**turn + v.sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    torch.nn.utils.clip_grad_value_([v], 0.5)
    optimizer.step()
    print(w.grad, v.grad)
