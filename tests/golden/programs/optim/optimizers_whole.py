import torch
from torch import nn, optim
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
def run(make, n=3):
    w = torch.tensor([1., -2.], requires_grad=True, dtype=torch.float64)
    o = make([w])
    for _ in range(n):
        o.zero_grad()
        ((w - 3) ** 2).sum().backward()
        o.step()
    print(type(o).__name__, [f'{v:.6f}' for v in w.tolist()])
    return o
for make in (lambda p: optim.SGD(p, 0.1), lambda p: optim.SGD(p, 0.1, momentum=0.9), lambda p: optim.SGD(p, 0.1, momentum=0.9, nesterov=True), lambda p: optim.SGD(p, 0.1, momentum=0.9, dampening=0.5, weight_decay=0.1),
             lambda p: optim.SGD(p, 0.1, maximize=True), lambda p: optim.Adam(p, 0.1), lambda p: optim.Adam(p, 0.1, amsgrad=True, weight_decay=0.1), lambda p: optim.AdamW(p, 0.1), lambda p: optim.RMSprop(p, 0.1), lambda p: optim.RMSprop(p, 0.1, centered=True, momentum=0.5),
             lambda p: optim.Adagrad(p, 0.1, lr_decay=0.1), lambda p: optim.Adadelta(p), lambda p: optim.Adamax(p), lambda p: optim.NAdam(p), lambda p: optim.RAdam(p), lambda p: optim.ASGD(p), lambda p: optim.Rprop(p), lambda p: optim.Adafactor(p)):
    o = run(make)
    print(o)
    sd = o.state_dict()
    print(sd['param_groups'])
    print({k: (v if not isinstance(v, torch.Tensor) else [round(x, 5) for x in v.reshape(-1).tolist()]) for k, v in sd['state'][0].items()} if sd['state'] else {})
w = torch.ones(1, requires_grad=True)
for f in (lambda: optim.SGD([w], -1), lambda: optim.SGD([w], 0.1, momentum=-1), lambda: optim.SGD([w], 0.1, nesterov=True), lambda: optim.SGD([w], 0.1, weight_decay=-1), lambda: optim.SGD([], 0.1), lambda: optim.SGD(w, 0.1), lambda: optim.SGD([3], 0.1), lambda: optim.SGD([w * 2], 0.1),
          lambda: optim.SGD([w, w], 0.1), lambda: optim.SGD([{'params': [w]}, {'params': [w]}], 0.1), lambda: optim.SGD([{'p': [w]}], 0.1), lambda: optim.SGD([w], foo=1), lambda: optim.SGD([w], 'a'), lambda: optim.SGD(), lambda: optim.Adam([w], betas=(1., 0.9)), lambda: optim.Adam([w], betas=(0.9, -1)), lambda: optim.Adam([w], eps=-1),
          lambda: optim.Adam([w], lr=-0.1), lambda: optim.Adagrad([w], lr_decay=-1), lambda: optim.RMSprop([w], alpha=-1), lambda: optim.RMSprop([w], momentum=-1), lambda: optim.Adadelta([w], rho=2), lambda: optim.Rprop([w], etas=(2, 3)), lambda: optim.NAdam([w], momentum_decay=-1), lambda: optim.LBFGS([{'params': [w]}, {'params': [torch.ones(1, requires_grad=True)]}]), lambda: optim.SparseAdam([w]), lambda: optim.ASGD([w], lr=-1), lambda: optim.Adamax([w], eps=-1), lambda: optim.AdamW([w], weight_decay=-1)):
    attempt(f)
