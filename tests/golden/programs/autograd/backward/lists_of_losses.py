import torch
w = torch.tensor([1., 2., 3.], requires_grad=True)
losses = [(w[i] - i) ** 2 for i in range(3)]
print(losses)
total = torch.stack(losses).mean()
print(total)
total.backward(retain_graph=True)
print(w.grad)
w.grad = None
torch.autograd.backward(losses)
print(w.grad)
losses = {"a": (w ** 2).sum(), "b": w.abs().sum() * 0.1}
w.grad = None
sum(losses.values()).backward()
print({k: v.item() for k, v in losses.items()}, w.grad)
grads = torch.autograd.grad(torch.sum(w * w), w)
print(type(grads), len(grads), grads[0])
history = []
for _ in range(2):
    l = (w ** 2).sum()
    history.append(l)
print(history, sum(history))
mean = torch.mean(torch.tensor([l.item() for l in history]))
print(mean)
running = 0.
for _ in range(3):
    running += (w ** 2).sum()
print(running)
print(f"{running:.2f}", "{:.3f}".format(running), "%.1f" % running, f"{running.item():>10.3f}|")
