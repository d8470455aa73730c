import torch
log = []
x = torch.tensor(2., requires_grad=True)
y = x * 3
z = y ** 2
x.register_hook(lambda g: log.append(f"x1 {g.item()}"))
y.register_hook(lambda g: log.append(f"y1 {g.item()}"))
y.register_hook(lambda g: (log.append(f"y2 {g.item()}"), g * 2)[1])
y.retain_grad()
y.register_hook(lambda g: log.append(f"y3 {g.item()}"))
y.grad_fn.register_prehook(lambda g: log.append(f"pre {g[0].item()}"))
y.grad_fn.register_hook(lambda gi, go: log.append(f"post {gi[0].item()} {go[0].item()}"))
x.register_post_accumulate_grad_hook(lambda t: log.append(f"acc {t.grad.item()}"))
x.register_hook(lambda g: log.append(f"x2 {g.item()}"))
z.backward()
print("\n".join(log))
print(y.grad, x.grad)
log.clear()
def once(g):
    log.append("once")
    handle.remove()
handle = x.register_hook(once)
for _ in range(2):
    (x * 1).backward()
print(log)
x2 = torch.ones(2, requires_grad=True)
v = x2 * 1
v.register_hook(lambda g: log.append("v before"))
v.mul_(2)
v.register_hook(lambda g: log.append("v after"))
log.clear()
v.sum().backward()
print(log)
