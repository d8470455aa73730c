import torch
w = torch.ones(2, requires_grad=True)
loss = (w * w).sum()
w.data.storage()[0] = 3.
loss.backward(); print(w.grad, w)
