import torch
with torch.inference_mode():
    t = torch.ones(3)
    u = t.view(3)
print(t.is_inference(), u.is_inference(), t.requires_grad)
for f in [lambda: t.add_(1), lambda: u.mul_(2), lambda: t.requires_grad_(), lambda: t._version, lambda: t * torch.ones(3, requires_grad=True), lambda: t + torch.ones(3, requires_grad=True), lambda: t.detach(), lambda: t.clone().requires_grad_(), lambda: t[0], lambda: t.backward(), lambda: t.sum().backward(), lambda: torch.ones(3).copy_(t), lambda: torch.ones(3, requires_grad=True).data.copy_(t), lambda: setattr(torch.ones(3, requires_grad=True), 'data', t), lambda: t.zero_(), lambda: t.detach().add_(1), lambda: t.data.add_(1), lambda: t.clone().add_(1), lambda: torch.nn.Parameter(t), lambda: torch.ones(3, requires_grad=True).mul(t), lambda: setattr(t, 'requires_grad', True), lambda: torch.ones(3, requires_grad=True).clone().add_(t), lambda: torch.ones(3, requires_grad=True).clone().mul_(t), lambda: torch.stack([t, torch.ones(3, requires_grad=True)]), lambda: t.numpy(), lambda: t.tolist(), lambda: t.retain_grad(), lambda: t.grad_fn, lambda: t.register_hook(print), lambda: t.is_leaf]:
    try:
        r = f()
        print(r if not isinstance(r, torch.Tensor) else (r.is_inference(), r.requires_grad, r.tolist()))
    except Exception as e:
        print(type(e).__name__, e)
