import torch
w = torch.tensor([1., -1.], requires_grad=True)
order = []
w.register_hook(lambda g: order.append(("tensor", g.tolist())))
w.register_post_accumulate_grad_hook(lambda p: order.append(("post", p.grad.tolist())))
loss = (w ** 2).sum() + w.sum()
loss.register_hook(lambda g: order.append(("loss", g.item())))
loss.backward()
print(*order, sep="\n")
def step(p):
    with torch.no_grad():
        p -= 0.1 * p.grad
    p.grad = None
h = w.register_post_accumulate_grad_hook(step)
(w ** 2).sum().backward()
print(w, w.grad)
h.remove()
(w ** 2).sum().backward()
print(w.grad)
try:
    (w * 2).register_post_accumulate_grad_hook(step)
except RuntimeError as e:
    print(e)
try:
    torch.ones(2).register_post_accumulate_grad_hook(step)
except RuntimeError as e:
    print(e)
print(order[3:])
